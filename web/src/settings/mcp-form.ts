import { type Wire } from '../core/service/api.js'

export type McpServer = Wire<'McpServer'>

/** A server in the form's fields. */
export interface McpForm {
  name: string
  kind: 'stdio' | 'http'
  command: string
  /** One per line. */
  args: string
  cwd: string
  url: string
  /** The variables of a program, one per line. */
  env: string
  headers: string
  sandbox: boolean
  sampling: boolean
}

/** A problem in the form: its code, and its subject. */
export interface McpProblem { wrong: 'name' | 'target' | 'noValue' | 'noName', about: string }

export const mcpFormOf = (server: McpServer | null): McpForm => ({
  name: server?.name ?? '',
  kind: server?.transport ?? 'stdio',
  command: server?.command ?? '',
  args: server?.args.join('\n') ?? '',
  cwd: server?.cwd ?? '',
  url: server?.url ?? '',
  env: server?.env.join('\n') ?? '',
  headers: server?.headers.join('\n') ?? '',
  sandbox: server?.sandbox ?? false,
  sampling: server?.sampling ?? false
})

/** Parses `NAME=value` lines; headers may also be `Name: value`. A name alone has the value null. */
export function parseValues (text: string, kind: 'env' | 'headers'): Array<[name: string, value: string | null]> {
  return linesOf(text).map((line) => {
    const at = line.search(kind === 'env' ? /=/ : /[:=]/)
    return at === -1 ? [line, null] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
}

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter((line) => line !== '')

/**
 * Returns the request of a form. For an existing server it contains only changes, so that values that clients never see, and changes made
 * in another window, are kept.
 */
export function mcpChangeOf (form: McpForm, server: McpServer | null): Record<string, unknown> | McpProblem {
  const { name, kind, sandbox, sampling } = form
  if (name.trim() === '') return { wrong: 'name', about: '' }
  const target = kind === 'stdio' ? form.command : form.url
  if (target.trim() === '') return { wrong: 'target', about: '' }
  const key = kind === 'stdio' ? 'env' : 'headers'
  const values = changedValues(parseValues(form[key], key), server?.[key] ?? [])
  if ('wrong' in values) return values
  const said = kind === 'stdio'
    ? { command: form.command.trim(), args: linesOf(form.args), cwd: form.cwd.trim(), sandbox, sampling }
    : { url: form.url.trim(), sampling }
  const shown: Record<string, unknown> = server === null ? { cwd: '' } : { ...server, cwd: server.cwd ?? '' }
  const changed = Object.entries(said).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(shown[key]))
  return { ...Object.fromEntries(changed), ...(Object.keys(values).length > 0 && { [key]: values }) }
}

/** Returns the changed values of an existing server: a name alone keeps its value, a missing name is removed. */
function changedValues (
  given: ReadonlyArray<[name: string, value: string | null]>, before: readonly string[]
): Record<string, string | null> | McpProblem {
  for (const [name, value] of given) {
    if (name === '') return { wrong: 'noName', about: value ?? '' }
    if (value === null && !before.includes(name)) return { wrong: 'noValue', about: name }
  }
  const names = given.map(([name]) => name)
  return Object.fromEntries([
    ...given.filter(([, value]) => value !== null),
    ...before.filter((name) => !names.includes(name)).map((name): [string, null] => [name, null])
  ])
}

/** Returns the request that restores a removed server; null if that needs values that clients never see. */
export function mcpCopyOf (server: McpServer): Record<string, unknown> | null {
  const {
    transport, command, args, url, cwd, sandbox, enabled, sampling, timeout, connect_timeout: connectTimeout, include, exclude
  } = server
  const isMasked = [command, url, cwd, ...args].some((text) => text?.includes('[redacted]') === true)
  if (transport === null || isMasked || server.env.length + server.headers.length > 0 || server.oauth !== null || server.signed_in) {
    return null
  }
  return {
    ...(transport === 'stdio' ? { command, args, sandbox, ...(cwd !== null && { cwd }) } : { url }),
    enabled,
    sampling,
    timeout,
    connect_timeout: connectTimeout,
    ...(include !== null || exclude.length > 0
      ? { tools: { ...(include !== null && { include }), ...(exclude.length > 0 && { exclude }) } }
      : {})
  }
}

/** Whether an address is a web page. Sign-in addresses come from other services. */
export const isPage = (address: string): boolean => /^https?:\/\//i.test(address)
