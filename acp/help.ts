/** The help of the program. */
export const help = `Usage: agent-web-service acp

Runs as an agent of an editor, over standard input and output (Agent Client Protocol). The editor starts it, with these variables:

  SVC_URL    the address of the service (default: http://127.0.0.1:8787)
  SVC_TOKEN  a token with the scope approve; an open service needs none

Options:
  --help     show this help

Exit codes: 0 the editor has closed the connection; 1 SVC_URL is not the address of a service; 2 wrong usage. See docs/editors.md.`
