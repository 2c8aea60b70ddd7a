/** The fields to write of a server; absent ones are kept or removed, depending on the kind of write. */
export interface McpServerChange {
  command?: string | null | undefined
  args?: string[] | null | undefined
  env?: Record<string, string | null> | null | undefined
  cwd?: string | null | undefined
  sandbox?: boolean | null | undefined
  url?: string | null | undefined
  headers?: Record<string, string | null> | null | undefined
  enabled?: boolean | null | undefined
  tools?: string[] | { include?: string[], exclude?: string[], resources?: boolean, prompts?: boolean } | null | undefined
  oauth?: { client_id?: string, client_secret?: string, scope?: string, issuer?: string } | null | undefined
  sampling?: boolean | null | undefined
  timeout?: number | null | undefined
  connect_timeout?: number | null | undefined
}
