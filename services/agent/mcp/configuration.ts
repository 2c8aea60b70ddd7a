import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { addressProblem } from '../../providers/index.js'

/** Which of the things that a server offers are used. `include: null`: every tool that `exclude` does not name. */
interface McpSelection { include: string[] | null, exclude: string[], resources: boolean, prompts: boolean }

/**
 * How a server is reached: a program that is started, or an address. Values may contain `${NAME}`, a variable of the profile's `.env`.
 * `readable`: a folder that it may read in the sandbox, in addition to its working folder.
 */
export type McpTarget =
  | {
    transport: 'stdio'
    command: string
    args: string[]
    env: Record<string, string>
    cwd: string | null
    sandbox: boolean
    readable?: string
  }
  | { transport: 'http', url: string, headers: Record<string, string>, oauth: McpOAuth | null }

/** How to sign in at a server that requires it. Values that are null are discovered from the server. */
interface McpOAuth { clientId: string | null, clientSecret: string | null, scope: string | null, issuer: string | null }

/** One entry of `mcp_servers` of a config.yaml. */
export interface McpServerConfig {
  name: string
  /** The plugin that provides it; null for a server of the config.yaml. */
  plugin: string | null
  enabled: boolean
  /** Null if the entry cannot be used; `problem` says why. */
  target: McpTarget | null
  problem: string | null
  selection: McpSelection
  /** Whether it may ask the model of a turn that calls it, with a person's consent each time. */
  sampling: boolean
  /** How long a call may take, and how long connecting may take until the server has listed its tools. */
  timeoutMs: number
  connectTimeoutMs: number
}

/** How many tools, and how many tokens of definitions, a model is shown at most. If there are more, it finds tools by search. */
export interface McpBudget { tools: number, tokens: number }

export const serverName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** A token of RFC 9110. */
export const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const mostServers = 100
const mostEntries = 200
const defaults = { timeoutS: 120, connectTimeoutS: 30 }
const longestTimeoutS = 3_600

/**
 * Returns the servers that a config.yaml names, in its order; entries that cannot be used say why. Pure; never throws. `config` is as
 * it was written: elsewhere values of a wrong type are ignored, but a person relies on a sandbox even if it was misspelt.
 */
export function mcpServersOf (config: Readonly<Record<string, unknown>>): McpServerConfig[] {
  return Object.entries(mapping(config['mcp_servers']) ?? {}).slice(0, mostServers).map(([name, value]) => read(name, value))
}

/** `mcp.max_tools` and `mcp.max_tool_tokens` of a config.yaml. */
export function mcpBudgetOf (config: Readonly<Record<string, unknown>>): McpBudget {
  const { max_tools: tools, max_tool_tokens: tokens } = mapping(config['mcp']) ?? {}
  return { tools: within(tools, 1, 1_000) ?? 40, tokens: within(tokens, 100, 1_000_000) ?? 10_000 }
}

function read (name: string, value: unknown): McpServerConfig {
  const entry = mapping(value)
  const { enabled, tools, sampling, timeout, connect_timeout: connectTimeout } = entry ?? {}
  const target = entry === null ? 'It must be a mapping with "command" or "url".' : misspelt(entry) ?? targetOf(entry)
  const problem = serverName.test(name)
    ? (typeof target === 'string' ? target : null)
    : 'Its name must be of letters, digits, ".", "_" and "-", 64 at most.'
  return {
    name,
    plugin: null,
    enabled: enabled !== false,
    target: problem === null && typeof target !== 'string' ? target : null,
    problem,
    selection: selectionOf(tools),
    sampling: sampling === true,
    timeoutMs: 1_000 * (within(timeout, 1, longestTimeoutS) ?? defaults.timeoutS),
    connectTimeoutMs: 1_000 * (within(connectTimeout, 1, longestTimeoutS) ?? defaults.connectTimeoutS)
  }
}

/** Returns what is wrong with an entry that would give a server more freedom than intended if it were ignored; null if nothing is. */
function misspelt ({ enabled, sandbox, sampling, tools }: Record<string, unknown>): string | null {
  const isSwitch = (value: unknown): boolean => value === undefined || value === null || typeof value === 'boolean'
  const areNames = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string' ||
    (Array.isArray(value) && value.every((item) => typeof item === 'string'))
  if (!isSwitch(enabled)) return '"enabled" must be true or false.'
  if (!isSwitch(sandbox)) return '"sandbox" must be true or false.'
  if (!isSwitch(sampling)) return '"sampling" must be true or false.'
  const { include, exclude, resources, prompts } = mapping(tools) ?? { include: tools }
  if (!areNames(include) || !areNames(exclude) || !isSwitch(resources) || !isSwitch(prompts)) {
    return '"tools" must be a list of names, or a mapping with "include", "exclude", "resources" and "prompts".'
  }
  return null
}

function targetOf (entry: Record<string, unknown>): McpTarget | string {
  const { command, url, args = [], env, headers, oauth, cwd = null, sandbox } = entry
  if (command !== undefined && url !== undefined) return 'It has both "command" and "url"; one of them is to go.'
  if (typeof url === 'string') {
    const values = valuesOf(headers, headerName)
    if (values === null) return '"headers" must be a mapping of header names to texts.'
    if (!/^https?:\/\//i.test(url)) return '"url" must be an address that begins with http:// or https://.'
    const signIn = oauthOf(oauth)
    return typeof signIn === 'string' ? signIn : { transport: 'http', url, headers: values, oauth: signIn }
  }
  if (typeof command !== 'string' || command.trim() === '') return 'It needs a "command" or a "url".'
  const list = Array.isArray(args) ? args.map(plain) : [null]
  if (!list.every((item) => item !== null)) return '"args" must be a list of texts.'
  const values = valuesOf(env, variableName)
  if (values === null) return '"env" must be a mapping of variable names to texts.'
  if (cwd !== null && (typeof cwd !== 'string' || !isAbsolute(cwd))) return '"cwd" must be an absolute path.'
  return { transport: 'stdio', command, args: list, env: values, cwd, sandbox: sandbox === true }
}

function oauthOf (value: unknown): McpOAuth | null | string {
  if (value === undefined || value === null) return null
  const entry = mapping(value)
  if (entry === null) return '"oauth" must be a mapping with "client_id", "client_secret", "scope" and "issuer".'
  const text = (name: string): string | null | undefined => entry[name] === undefined || entry[name] === null
    ? null
    : typeof entry[name] === 'string' && entry[name] !== '' ? entry[name] : undefined
  const [clientId, clientSecret, scope, issuer] = [text('client_id'), text('client_secret'), text('scope'), text('issuer')]
  if (clientId === undefined || clientSecret === undefined || scope === undefined || issuer === undefined) {
    return 'What "oauth" holds must be texts.'
  }
  if (issuer !== null && !/^https?:\/\//i.test(issuer)) return '"oauth.issuer" must be an address that begins with https://.'
  return { clientId, clientSecret, scope, issuer }
}

/** A name or a list of them stands for `include`. */
function selectionOf (tools: unknown): McpSelection {
  const { include, exclude, resources, prompts } = fieldsOf(Array.isArray(tools) || typeof tools === 'string' ? { include: tools } : tools)
  return {
    include: Array.isArray(include) || typeof include === 'string' ? texts(include) : null, exclude: texts(exclude),
    resources: resources !== false, prompts: prompts !== false
  }
}

const texts = (list: unknown): string[] => typeof list === 'string'
  ? [list]
  : Array.isArray(list) ? list.filter((item) => typeof item === 'string').slice(0, 1_000) : []

/** Returns a value as text, because YAML reads `3000` and `true` as other types; null for values that are no texts. */
const plain = (value: unknown): string | null => ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null

function valuesOf (value: unknown, names: RegExp): Record<string, string> | null {
  if (value === undefined || value === null) return {}
  const entries = Object.entries(mapping(value) ?? { '': null })
  const fit = entries.flatMap(([name, item]) => {
    const text = plain(item)
    return text === null || text.includes('\0') || !names.test(name) ? [] : [[name, text] as const]
  })
  return entries.length > mostEntries || fit.length < entries.length ? null : Object.fromEntries(fit)
}

const mapping = (value: unknown): Record<string, unknown> | null => isRecord(value) ? value : null

function within (value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && value >= least && value <= most ? value : null
}

/**
 * Fills in the variables of a target. Only those of the profile's `.env` count: servers must not receive other values that the
 * service knows.
 *
 * @returns the target, or a sentence that says what is missing or wrong
 */
export function resolvedTarget (target: McpTarget, variables: Readonly<Record<string, string>>): McpTarget | string {
  let missing: string | undefined
  const fill = (text: string): string => filledIn(text, variables, (name) => { missing ??= name })
  const filled = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
  const found: McpTarget = target.transport === 'stdio'
    ? { ...target, args: target.args.map(fill), env: filled(target.env) }
    : {
        ...target, url: fill(target.url), headers: filled(target.headers), oauth: target.oauth === null
          ? null
          : {
              ...target.oauth, clientId: target.oauth.clientId === null ? null : fill(target.oauth.clientId),
              clientSecret: target.oauth.clientSecret === null ? null : fill(target.oauth.clientSecret)
            }
      }
  if (missing !== undefined) return `The variable ${missing} is not set in the profile's .env.`
  for (const [key, address] of addressesIn(found)) {
    const problem = addressProblem(address)
    if (problem !== null) return `"${key}" ${problem}.`
  }
  if (found.transport === 'http' && Object.values(found.headers).some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))) {
    return 'A header has characters that a header cannot have.'
  }
  return found
}

/** Fills in the variables of a text. A variable that is not set becomes empty and is reported to `onMissing`. */
export function filledIn (text: string, variables: Readonly<Record<string, string>>, onMissing: (name: string) => void = () => {}): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    if (!Object.hasOwn(variables, name)) onMissing(name)
    return variables[name] ?? ''
  })
}

/** Returns the address of a server and that of its authorization server, each with its key in the configuration. */
function addressesIn (target: McpTarget): Array<[key: string, address: string]> {
  if (target.transport !== 'http') return []
  const { url, oauth } = target
  return oauth?.issuer == null ? [['url', url]] : [['url', url], ['oauth.issuer', oauth.issuer]]
}

/** Returns a key of the target. A server whose key differs is a different server. */
export const targetKey = (target: McpTarget | null): string =>
  createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 32)
