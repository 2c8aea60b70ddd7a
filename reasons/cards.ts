import { type None } from './reason.js'

/** What a call would do, in one line without a full stop. */
export const deeds = {
  change_memory: ({ preview }: { preview: string }) => `Change what the agent is told in every conversation: ${preview}`,
  change_schedules: ({ preview }: { preview: string }) => `Change the scheduled jobs: ${preview}`,
  fetch: ({ url }: { url: string }) => `Fetch ${url}`,
  read_files: ({ paths }: { paths: string }) => `Read ${paths}`,
  run_command: ({ command }: { command: string }) => `Run a command: ${command}`,
  run_command_in: ({ folder, command }: { folder: string, command: string }) => `Run a command in ${folder}: ${command}`,
  save_skill: ({ name }: { name: string }) => `Save the skill ${name}`,
  use_mcp_tool: ({ tool, server, preview }: { tool: string, server: string, preview: string }) =>
    `Use "${tool}" of the MCP server "${server}": ${preview}`,
  use_tool: ({ tool, preview }: { tool: string, preview: string }) => `Use the tool ${tool}: ${preview}`,
  write_files: ({ paths }: { paths: string }) => `Write ${paths}`
}

/** What a person should know about a call before answering, in whole sentences. `more` counts what a list leaves out. */
export const remarks = {
  agent_says: ({ why }: { why: string }) => `The agent says why: “${why}”`,
  changes_protected: () => 'It may change protected files: settings, keys, or files that run by themselves.',
  connects: ({ more }: { more: number }, hosts: readonly string[]) => `It connects to ${listed(hosts, more)}.`,
  container_may_remove: () => 'It stays in the container, but what it may remove there cannot be brought back.',
  container_removes: () => 'It stays in the container, but what it removes there cannot be brought back.',
  exceeds_container: ({ more }: { more: number }, why: readonly string[]) =>
    `Goes beyond what the container allows commands unasked: ${listed(why, more)}.`,
  followed_later: () => 'Later conversations may follow what it says.',
  git_runs_own: ({ more }: { more: number }, programs: readonly string[]) =>
    'This repository has hooks or settings by which git runs programs: ' +
    `${programs.map((one) => `“${one}”`).join(', ')}${more > 0 ? ` and ${more} more` : ''}. A yes counts for them as they are now.`,
  leaves_sandbox: ({ more }: { more: number }, why: readonly string[]) => `Leaves the sandbox: ${listed(why, more)}.`,
  left_by_sandbox: (_: None, found: readonly string[]) =>
    `Look at this first, as git may run it or follow it outside the sandbox, and a command in the sandbox has left it: ${found.join('; ')}.`,
  mcp_says_adds: () => 'The server says that it only adds something.',
  mcp_says_destroys: () => 'The server says that it may destroy something.',
  mcp_says_reads: () => 'The server says that it only reads.',
  mcp_tool_changed: () => 'The server describes this tool differently than when it was allowed.',
  reads_outside: () => 'It reads outside the workspace.',
  reads_secrets: () => 'It may read secrets: keys, passwords, or the state of this service.',
  runs_unwatched: () => 'A job runs when nobody looks.',
  sandbox_may_remove: () => 'It stays in the sandbox, but what it may remove there cannot be brought back.',
  sandbox_removes: () => 'It stays in the sandbox, but what it removes there cannot be brought back.',
  unforeseeable: (_: None, [why = '']: readonly string[]) => `What it does cannot be told in advance: ${why}.`,
  writes_outside: () => 'It may write outside the workspace.',

  host: ({ host }: { host: string }) => host,
  unknown_host: () => 'an address that is not known yet'
}

/** Whole cards: what happened, what it could do, then what each answer means. */
export const cards = {
  command_changed: ({ name, path }: { name: string, path: string }) =>
    `What /${name} stands for (${path}) was changed by a command that nobody was asked about. Allow: the agent reads it as it is now. Deny: it is left out, and the agent is told so.`,
  mcp_asks_model: ({ server, model, tokens }: { server: string, model: string, tokens: number }) =>
    `The MCP server "${server}", which works on a call, asks the model ${model} what follows, for an answer of up to ${tokens} tokens. Allow: the model answers these texts alone, without tools and without this conversation, and the server gets the answer. It counts towards your usage.`,
  rules_changed: () =>
    'The instructions of this workspace (AGENTS.md or its kind) were changed by a command that nobody was asked about. Allow: they count from now on. Deny: this turn goes by the text of before.',
  settings_unaccepted: ({ agent }: { agent: string }) =>
    `This workspace brings settings of its own for ${agent}, which nobody has accepted as they are now. They may let it act without asking, start programs and lead to other servers. Allow: they count, until they change. Deny: the turn does not begin.`
}

function listed (words: readonly string[], more: number): string {
  return more > 0 ? `${words.join(', ')}, and more` : words.join(', ')
}
