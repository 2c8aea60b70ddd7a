import { type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { fieldsOf } from '../../ground/fields.js'
import { cutMiddle } from '../engines/material.js'
import { type ToolCall } from '../protocol.js'
import { oneLine } from '../tools/wording.js'
import { shownName } from './shown.js'
import { type CallKind, type CallNews, words } from './wire.js'

/** A call of an agent, as far as it has told of it. */
export interface AgentCall extends Omit<CallNews, 'status'> {
  /** Ours: the agent's own may come again in a later turn, and may be anything. */
  callId: string
  isOver: boolean
  /** Aborted when it is: nobody has to answer for it any more. */
  ended: AbortController
  startedMs: number
  /** How much was told of it and is kept. */
  chars: number
  /** What was allowed for it and was not done yet. */
  allowed: Allowed[]
}

/** The text that a file gets, or a command line and the folder it runs in; once. */
export type Allowed = { path: string, text: string } | { command: string, cwd: string }

/** More than a person reads of a result, and little enough for a row. */
const mostResultChars = 64_000
const mostCalls = 5_000
/** In the transcript. While a call may be asked about its title is whole, as it may be a command. */
const longestTitle = 2_000

/** Names of our own tools, under which clients show such calls. */
const toolNames: Record<CallKind, string> = {
  read: 'read_file', edit: 'edit_file', delete: 'delete', move: 'move', search: 'search_files', execute: 'terminal', think: 'think',
  fetch: 'web_fetch', switch_mode: 'switch_mode', other: 'tool'
}

/** The calls of one turn: each is told of once and ends once, whatever the agent says twice, late, or not at all. */
export class AgentCalls {
  readonly #calls = new Map<string, AgentCall>()
  #count = 0
  #openChars = 0

  constructor (private readonly runId: string, private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Takes in what is told; `isNew`: the call was not known. Null: there are too many.
   *
   * @param begins somebody is to be asked about it: when a call of that id is over, this is another one
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

  /** Those that have not ended, in the order in which they began. */
  open (): AgentCall[] {
    return [...this.#calls.values()].filter(({ isOver }) => !isOver)
  }

  /** It has ended: what was told of it is kept no longer. */
  end (call: AgentCall): void {
    call.isOver = true
    call.ended.abort()
    for (const key of ['texts', 'diffs', 'input', 'output'] as const) delete call[key]
    call.allowed = []
    if (call.title !== undefined) call.title = call.title.slice(0, longestTitle)
    this.#weigh(call)
  }

  get size (): number { return this.#count }

  /** What is kept of calls that have not ended, in characters. */
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

/** A call as rows and clients have it. */
export function asToolCall (call: AgentCall): ToolCall {
  return { id: call.callId, name: toolNameOf(call), args: argsOf(call) }
}

/** What a call tells of what it does. */
export type ToldCall = Pick<AgentCall, 'kind' | 'input' | 'title' | 'name' | 'paths' | 'diffs' | 'texts'>

/** What a call is about, as the agent tells it. */
export const subjectOf = (call: ToldCall): string => commandOf(call) ?? call.title ?? call.paths?.[0] ?? call.name ?? call.kind ?? 'call'

/** The same in a line of the transcript. */
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

/** Under which of these a call tells what it runs, and the words behind the program. */
const commandKeys = ['command', 'cmd', 'script', 'command_line', 'commandLine', 'argv']
const argumentKeys = ['args', 'arguments']

/**
 * The command line of a call that runs one, and the keys of its input that are in it; null: it tells none that could
 * be read. Some say it in their title alone.
 */
export function commandIn ({
  kind, input = {}, title
}: Pick<AgentCall, 'kind' | 'input' | 'title'>): { line: string, keys: string[] } | null {
  const told = (key: string): boolean => input[key] !== undefined && input[key] !== null && input[key] !== ''
  const [key, ...others] = commandKeys.filter(told)
  const [argumentKey, ...more] = argumentKeys.filter(told)
  // Which of several it would run, nobody knows.
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

/** Whether a call tells of something to be run, in a form that cannot be read. */
export const hasUnreadCommand = (call: Pick<AgentCall, 'kind' | 'input' | 'title'>): boolean =>
  commandIn(call) === null && commandKeys.some((key) => call.input?.[key] !== undefined && call.input[key] !== null)

export const commandOf = (call: Pick<AgentCall, 'kind' | 'input' | 'title'>): string | null => commandIn(call)?.line ?? null

/** `git status [in the folder /work] (what for)` and `` `git status` ``. */
function titleCommand (title: string): string {
  const inner = /^`([^]+)`$/.exec(title.trim())?.[1]
  // Nothing that a shell would read may be taken away with it.
  return (inner ?? title).replace(
    / \[(?:in directory|current working directory|in)(?: [\w@%+=:,./~ -]+)?\](?: \([^()\n;&|<>`$\\]*\))?$/, ''
  ).replace(/^(?:run|shell|execute|bash): /i, '').trim()
}

/** Words as a shell reads them. */
export function shellLine (words: readonly string[]): string {
  return words.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

/** What a call has come to, as text. */
export function resultOf (call: AgentCall, terminalText: (id: string) => string | null): string {
  const shown = [...(call.texts ?? []).map(unfenced), ...(call.terminals ?? []).flatMap((id) => terminalText(id) ?? [])]
  if (shown.length === 0 && call.output !== undefined) shown.push(outputText(call.output))
  const files = [...new Set((call.diffs ?? []).map(({ path }) => path))]
  if (files.length > 0) shown.push(`Changed: ${files.join(', ')}`)
  return cutMiddle(shown.filter((text) => text !== '').join('\n'), mostResultChars)
}

/** Some put what a command has printed into a block of code. */
const unfenced = (text: string): string => /^```[^\n`]*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text

function outputText (output: unknown): string {
  if (typeof output === 'string') return output
  const { formatted_output: formatted, output: inner, stdout, content } = fieldsOf(output)
  const text = [formatted, inner, stdout, content].find((candidate) => typeof candidate === 'string')
  return typeof text === 'string' ? text : JSON.stringify(output).slice(0, mostResultChars)
}

export function replayOf ({ id, name }: ToolCall, value: string, isError: boolean): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: isError ? 'error-text' : 'text', value } }
}
