import { fieldsOf } from '../../ground/fields.js'
import { shellLine } from '../../ground/text/shell-line.js'
import { cutMiddle } from '../engines/quoted-conversation.js'
import { type ToolCall } from '../protocol.js'
import { oneLine } from '../tools/wording.js'
import { shownName } from './shown-names.js'
import { type CallKind, type CallNews, words } from './wire.js'

/** A call of an agent, with what the agent has said about it so far. */
export interface AgentCall extends Omit<CallNews, 'status'> {
  /** The service's own id: the agent's id may be reused in a later turn, and may be any text. */
  callId: string
  isOver: boolean
  /** Aborted when the call is over: questions about it are withdrawn. */
  ended: AbortController
  startedMs: number
  /** How many characters of what was said about it are held. */
  chars: number
  /** What was allowed for it and has not been done yet. */
  allowed: Allowed[]
}

/** The text that a file gets, or a command line and its folder. It may be used once. */
export type Allowed = { path: string, text: string } | { command: string, cwd: string }

/** More than a person reads of a result, and little enough for a row. */
const mostResultChars = 64_000
const mostCalls = 5_000
/** Longest title in the transcript. While a call can still be asked about, its title is kept in full, as it may be a command. */
const longestTitle = 2_000

/** Names of the service's own tools, under which clients show such calls. */
const toolNames: Record<CallKind, string> = {
  read: 'read_file', edit: 'edit_file', delete: 'delete', move: 'move', search: 'search_files', execute: 'terminal', think: 'think',
  fetch: 'web_fetch', switch_mode: 'switch_mode', other: 'tool'
}

/** The calls of one turn. Each is announced once and ends once, even if the agent reports it twice, late, or not at all. */
export class AgentCalls {
  readonly #calls = new Map<string, AgentCall>()
  #count = 0
  #openChars = 0

  constructor (private readonly runId: string, private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Takes in news about a call; `isNew`: the call was not known. Null if there are too many calls.
   *
   * @param begins whether the user is about to be asked about it: if the known call of that id is over, this is a new one
   */
  take (news: CallNews, begins = false): { call: AgentCall, isNew: boolean } | null {
    const known = this.#calls.get(news.id)
    const { status: _, ...told } = news
    if (known !== undefined && !(begins && known.isOver)) {
      if (!known.isOver) this.#weigh(Object.assign(known, told))
      return { call: known, isNew: false }
    }
    if (this.#count >= mostCalls) return null
    const call: AgentCall = {
      ...told, callId: `${this.runId.slice(-8)}-${++this.#count}`, isOver: false, ended: new AbortController(), startedMs: this.nowMs(),
      allowed: [], chars: 0
    }
    this.#calls.set(news.id, call)
    this.#weigh(call)
    return { call, isNew: true }
  }

  /** Returns the calls that have not ended, in the order in which they began. */
  open (): AgentCall[] {
    return [...this.#calls.values()].filter(({ isOver }) => !isOver)
  }

  /** Ends a call and releases what was said about it. */
  end (call: AgentCall): void {
    call.isOver = true
    call.ended.abort()
    for (const key of ['texts', 'diffs', 'input', 'output'] as const) delete call[key]
    call.allowed = []
    if (call.title !== undefined) call.title = call.title.slice(0, longestTitle)
    this.#weigh(call)
  }

  get size (): number { return this.#count }

  /** How many characters of calls that have not ended are held. */
  get openChars (): number { return this.#openChars }

  #weigh (call: AgentCall): void {
    const { texts = [], diffs = [], input, output } = call
    const chars = Math.max(0, (call.title ?? '').length - longestTitle) + texts.reduce((sum, said) =>
      sum + said.length, 0) + diffs.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + after.length, 0) +
      [input, output].reduce<number>((sum, value) => sum + (value === undefined ? 0 : JSON.stringify(value).length), 0)
    this.#openChars += chars - call.chars
    call.chars = chars
  }
}

export const toolNameOf = ({ kind, name }: Pick<AgentCall, 'kind' | 'name'>): string => {
  if (kind !== undefined && kind !== 'other') return toolNames[kind]
  const own = name?.replaceAll(/[^\w-]+/g, '_').slice(0, 60) ?? ''
  return own === '' ? toolNames.other : own
}

/** Returns a call in the form of rows and clients. */
export function asToolCall (call: AgentCall): ToolCall {
  return { id: call.callId, name: toolNameOf(call), args: argsOf(call) }
}

/** What an agent says about what a call does. */
export type ToldCall = Pick<AgentCall, 'kind' | 'input' | 'title' | 'name' | 'paths' | 'diffs' | 'texts'>

/** Returns what a call is about, in the agent's words. */
export const subjectOf = (call: ToldCall): string => commandOf(call) ?? call.title ?? call.paths?.[0] ?? call.name ?? call.kind ?? 'call'

/** Returns the same as a line of the transcript. */
export const previewOf = (call: ToldCall): string => oneLine(shownName(subjectOf(call)))

function argsOf (call: AgentCall): Record<string, unknown> {
  const command = call.kind === 'execute' || call.kind === 'think' ? commandOf(call) : null
  const path = call.paths?.[0] ?? call.diffs?.[0]?.path
  return {
    ...(command === null ? {} : { command }),
    ...(path === undefined || command !== null ? {} : { path: shownName(path) }),
    ...(call.title === undefined ? {} : { title: shownName(call.title.slice(0, longestTitle)) }),
    ...(call.input === undefined || JSON.stringify(call.input).length > 8_000 ? {} : { input: call.input })
  }
}

/** The keys of an input that may hold what a call runs, and those that may hold the arguments. */
const commandKeys = ['command', 'cmd', 'script', 'command_line', 'commandLine', 'argv']
const argumentKeys = ['args', 'arguments']

/**
 * Returns the command line of a call that runs one, and the keys of its input that it covers; null if there is none that can be read.
 * Some agents give it only in the title.
 */
export function commandIn ({
  kind, input = {}, title
}: Pick<AgentCall, 'kind' | 'input' | 'title'>): { line: string, keys: string[] } | null {
  const told = (key: string): boolean => input[key] !== undefined && input[key] !== null && input[key] !== ''
  const [key, ...others] = commandKeys.filter(told)
  const [argumentKey, ...more] = argumentKeys.filter(told)
  // With several candidates it is not known which one would run.
  if (others.length > 0 || more.length > 0) return null
  if (key === undefined) {
    return argumentKey === undefined && kind === 'execute' && title !== undefined ? { line: titleCommand(title), keys: [] } : null
  }
  const command = lineOf(input[key])
  const rest = argumentKey === undefined ? '' : lineOf(input[argumentKey])
  if (command === null || rest === null) return null
  return { line: rest === '' ? command : `${command} ${rest}`, keys: argumentKey === undefined ? [key] : [key, argumentKey] }
}

function lineOf (value: unknown): string | null {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length === 0) return ''
  const line = words(value)
  return line === null ? null : shellLine(line)
}

/** Whether a call names something to run, in a form that cannot be read. */
export const hasUnreadCommand = (call: Pick<AgentCall, 'kind' | 'input' | 'title'>): boolean =>
  commandIn(call) === null && commandKeys.some((key) => call.input?.[key] !== undefined && call.input[key] !== null)

export const commandOf = (call: Pick<AgentCall, 'kind' | 'input' | 'title'>): string | null => commandIn(call)?.line ?? null

/** `git status [in the folder /work] (what for)` and `` `git status` ``. */
function titleCommand (title: string): string {
  const inner = /^`([^]+)`$/.exec(title.trim())?.[1]
  // Nothing that a shell would interpret may be removed with it.
  return (inner ?? title).replace(
    / \[(?:in directory|current working directory|in)(?: [\w@%+=:,./~ -]+)?\](?: \([^()\n;&|<>`$\\]*\))?$/, ''
  ).replace(/^(?:run|shell|execute|bash): /i, '').trim()
}

/** Returns the result of a call as text. */
export function resultOf (call: AgentCall, terminalText: (id: string) => string | null): string {
  const shown = [...(call.texts ?? []).map(unfenced), ...(call.terminals ?? []).flatMap((id) => terminalText(id) ?? [])]
  if (shown.length === 0 && call.output !== undefined) shown.push(outputText(call.output))
  const files = [...new Set((call.diffs ?? []).map(({ path }) => path))]
  if (files.length > 0) shown.push(`Changed: ${files.join(', ')}`)
  return cutMiddle(shown.filter((text) => text !== '').join('\n'), mostResultChars)
}

/** Removes the code fence that some agents put around a command's output. */
const unfenced = (text: string): string => /^```[^\n`]*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text

function outputText (output: unknown): string {
  if (typeof output === 'string') return output
  const { formatted_output: formatted, output: inner, stdout, content } = fieldsOf(output)
  const text = [formatted, inner, stdout, content].find((candidate) => typeof candidate === 'string')
  return typeof text === 'string' ? text : JSON.stringify(output).slice(0, mostResultChars)
}
