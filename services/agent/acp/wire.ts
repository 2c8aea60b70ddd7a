import { fieldsOf } from '../../ground/fields.js'
import { isOneOf } from '../../ground/one-of.js'
import { shownProse } from './shown-names.js'

// What an agent sends is not trusted: whatever does not have the expected form is left out, and nothing here throws.

type Fields = Readonly<Record<string, unknown>>

const kinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'] as const
const statuses = ['pending', 'in_progress', 'completed', 'failed'] as const
export type CallKind = typeof kinds[number]
export interface CallDiff { path: string, before: string | null, after: string }

/** What an agent says about a call; an update holds only what has changed. */
export interface CallNews {
  id: string
  title?: string
  name?: string
  kind?: CallKind
  status?: typeof statuses[number]
  /** Texts of its content, its diffs, and the terminals that it shows. */
  texts?: string[]
  diffs?: CallDiff[]
  terminals?: string[]
  paths?: string[]
  input?: Fields
  output?: unknown
  /** Set if parts of it were left out, so that a person could not see all of what it does. */
  isCut?: true
}

export type Update =
  | { type: 'text' | 'thought', text: string }
  | { type: 'call', news: CallNews }
  | { type: 'plan', entries: Array<{ content: string, status: 'pending' | 'in_progress' | 'completed' }> }
  | { type: 'commands', commands: AgentCommandWords[] }
  | { type: 'mode', id: string }
  | { type: 'options', options: unknown }
  | { type: 'usage', tokens: number, length: number, costUsd: number | null }
  | { type: 'notice', message: string }

/** A command that the agent accepts at the beginning of a prompt. */
export interface AgentCommandWords { name: string, description: string, hint: string }

const mostEntries = 200
const longestTitle = 2_000
const longestPath = 4_096
/** How deep the objects in a call's input and output may be nested. */
const deepest = 16
const mostTokens = 10_000_000_000

export const list = (value: unknown): unknown[] => Array.isArray(value) ? value.slice(0, mostEntries) : []
export const text = (value: unknown): string | undefined => typeof value === 'string' ? value : undefined
/** Returns a copy of limited depth, safe for recursive functions. */
const shallow = (value: unknown, levels = deepest): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '[…]'
  if (Array.isArray(value)) return value.map((item) => shallow(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallow(item, levels - 1)]))
}
/** Returns texts and numbers as words; null if there is anything else, since its `toString` may be anything. */
export const words = (value: unknown): string[] | null => {
  const all = Array.isArray(value) ? value : []
  return all.length > 0 && all.every((word) => typeof word === 'string' || typeof word === 'number') ? all.map(String) : null
}
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= mostTokens ? Math.floor(value) : null

/** Reads an update. Null for one that means nothing here. */
export function readUpdate (value: unknown): Update | null {
  const update = fieldsOf(value)
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk': {
      const said = blockText(update['content'])
      // Gemini CLI reports a switch of mode in this way.
      const mode = /^\[MODE_UPDATE\] (\S+)$/.exec(said)?.[1]
      return mode === undefined ? { type: 'text', text: said } : { type: 'mode', id: mode }
    }
    case 'agent_thought_chunk': return { type: 'thought', text: blockText(update['content']) }
    case 'tool_call':
    case 'tool_call_update': {
      const news = readCall(update)
      return news === null ? null : { type: 'call', news }
    }
    case 'plan': return { type: 'plan', entries: list(update['entries']).map(fieldsOf).flatMap(planEntry) }
    case 'available_commands_update': return {
      type: 'commands', commands: list(update['availableCommands']).map(fieldsOf).flatMap(commandWords)
    }
    case 'current_mode_update': return typeof update['currentModeId'] === 'string' ? { type: 'mode', id: update['currentModeId'] } : null
    case 'config_option_update': return { type: 'options', options: update['configOptions'] }
    case 'usage_update': return readUsageUpdate(update)
    case 'notice': return {
      type: 'notice',
      message: shownProse([text(update['title']), text(update['description'])].filter(Boolean).join(': ').slice(0, longestTitle))
    }
    default: return null
  }
}

/** Reads an id. A longer one is cut and copied, because a slice would keep the whole text in memory. */
export function idIn (value: unknown): string | undefined {
  const id = text(value)
  return id === undefined || id.length <= longestTitle ? id : Buffer.from(id.slice(0, longestTitle)).toString()
}

/** Reads a call. Null if it has no id. */
export function readCall (call: Fields): CallNews | null {
  const id = idIn(call['toolCallId'])
  if (id === undefined || id === '') return null
  const news: CallNews = { id }
  // The title of some calls is the command that they run.
  const title = text(call['title'])
  const name = text(call['name'])?.slice(0, longestTitle)
  if (title !== undefined && title !== '') news.title = title
  if (name !== undefined && name !== '') news.name = name
  if (isOneOf(kinds, call['kind'])) news.kind = call['kind']
  if (isOneOf(statuses, call['status'])) news.status = call['status']
  if (Array.isArray(call['content'])) readContent(list(call['content']).map(fieldsOf), news)
  if (Array.isArray(call['locations'])) {
    news.paths = list(call['locations']).flatMap((place) => text(fieldsOf(place)['path'])?.slice(0, longestPath) ?? [])
  }
  const input = fieldsOf(shallow(call['rawInput']))
  if (hasMore(call)) news.isCut = true
  if (Object.keys(input).length > 0) news.input = input
  else if (typeof call['rawInput'] === 'string') news.input = { command: call['rawInput'] }
  if (call['rawOutput'] !== undefined && call['rawOutput'] !== null) news.output = shallow(call['rawOutput'])
  return news
}

/** Whether parts of a call are left out when it is read. */
function hasMore ({ content, locations, name, rawInput, isCut }: Fields): boolean {
  const isLong = (value: unknown, most: number): boolean => typeof value === 'string' && value.length > most
  return isCut === true || [content, locations].some((parts) =>
    Array.isArray(parts) && (parts.length > mostEntries || parts.some((part) => isLong(fieldsOf(part)['path'], longestPath)))) ||
    isLong(name, longestTitle) || isDeep(rawInput)
}

const isDeep = (value: unknown, levels = deepest): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((item) => isDeep(item, levels - 1)))

function readContent (content: Fields[], news: CallNews): void {
  news.texts = content.filter(({ type }) => type === 'content').map((item) => blockText(item['content'])).filter((said) => said !== '')
  news.diffs = content.filter(({ type }) => type === 'diff').flatMap((diff) => {
    const [path, after] = [text(diff['path']), text(diff['newText'])]
    return path === undefined || after === undefined
      ? []
      : [{ path: path.slice(0, longestPath), before: text(diff['oldText']) ?? null, after }]
  })
  news.terminals = content.filter(({ type }) => type === 'terminal').flatMap((terminal) => text(terminal['terminalId']) ?? [])
}

/** Returns the text of a block; for a block of another type, a label for it. */
function blockText (block: unknown): string {
  const { type, text: said, uri, resource, name } = fieldsOf(block)
  switch (type) {
    case 'text': return text(said) ?? ''
    case 'image': return '[image]'
    case 'audio': return '[audio]'
    case 'resource_link': return `[${text(name) ?? 'resource'}](${text(uri) ?? ''})`
    case 'resource': return text(fieldsOf(resource)['text']) ?? `[${text(fieldsOf(resource)['uri']) ?? 'resource'}]`
    default: return ''
  }
}

function planEntry ({ content, status }: Fields): Array<{ content: string, status: 'pending' | 'in_progress' | 'completed' }> {
  if (typeof content !== 'string' || content === '') return []
  return [{
    content: shownProse(content.slice(0, longestTitle)), status: status === 'in_progress' || status === 'completed' ? status : 'pending'
  }]
}

/** Reads a command. Names that a person could not type after a slash are left out. */
function commandWords ({ name, description, input }: Fields): AgentCommandWords[] {
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N}:._-]{0,99}$/u.test(name)) return []
  return [{
    name, description: shownProse((text(description) ?? '').slice(0, 500)),
    hint: shownProse((text(fieldsOf(input)['hint']) ?? '').slice(0, 100))
  }]
}

function readUsageUpdate ({ used, size, cost }: Fields): Update | null {
  const [tokens, length] = [count(used), count(size)]
  if (tokens === null || length === null) return null
  const { amount, currency } = fieldsOf(cost)
  return {
    type: 'usage', tokens, length,
    costUsd: currency === 'USD' && typeof amount === 'number' && amount >= 0 && amount < 1_000_000 ? amount : null
  }
}

/** Reads the tokens that an agent reports for a prompt; null if it reports none. */
export function readTurnUsage (response: Fields): {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  estimated: false
} | null {
  const usage = fieldsOf(response['usage'] ?? fieldsOf(response['_meta'])['usage'])
  const quota = fieldsOf(fieldsOf(fieldsOf(response['_meta'])['quota'])['token_count'])
  const input = count(usage['inputTokens']) ?? count(quota['input_tokens'])
  const output = count(usage['outputTokens']) ?? count(quota['output_tokens'])
  if (input === null || output === null) return null
  const [read, write] = [count(usage['cachedReadTokens']) ?? 0, count(usage['cachedWriteTokens']) ?? 0]
  // Agents count tokens from a cache separately from the input; here the input includes them.
  return {
    inputTokens: Math.min(input + read + write, mostTokens), outputTokens: output, cacheReadTokens: read, cacheWriteTokens: write,
    estimated: false
  }
}
