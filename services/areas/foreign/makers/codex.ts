// Codex appends to ~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl: `{timestamp, type, payload}`, where the payloads of
// response_item are items of the Responses interface. Its event_msg entries repeat most of them for the screen. Until autumn 2025 the items
// were written bare and without times, after a first line with the session's id and time.

import { basename } from 'node:path'
import { tried } from '../../../ground/tried.js'
import {
  asCount, asEntries, asEntry, asText, asTime, insideBlock, titleRanks,
  type Entry, type Fact, type ForeignCall, type Reader, type Stamp
} from '../facts.js'
import { fileStore } from '../file-store.js'
import { uuid, type Maker } from '../maker.js'

/** Beginnings of what the program itself adds to the user's messages (codex-rs: contextual user fragments). */
const ownBeginnings = [
  '# agents.md instructions', '<environment_context>', '<user_instructions>', '<instructions>', '<skill>', '<skills_instructions>',
  '<user_shell_command>', '<turn_aborted>', '<subagent_notification>', '<additional_context>', '<hook_prompt', '<permissions instructions>'
]
/** The editor's extension puts the open files before what was typed. */
const ideRequest = '## My request for Codex:'
const imageTag = /^<\/?(?:local_)?image\b[^>]{0,400}>$/

const idOf = (name: string): string =>
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/i.exec(name)?.[0] ?? name.slice('rollout-'.length, -'.jsonl'.length)

export const codex: Maker = {
  source: 'codex',
  name: 'Codex',
  preset: 'codex',
  suffix: 'codex',
  root: '.codex/sessions',
  store: (root, limit) => fileStore({
    root, limit, depth: { least: 0, most: 3 }, isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')
  }),
  reader: createCodexReader,
  idOf,
  nativeId: async (path) => idOf(basename(path)),
  id: uuid
}

/** Reads the entries of a Codex rollout. */
function createCodexReader (): Reader {
  // Answers have no id here: one continues until a result or a message of the user.
  let step = 0

  function item (entry: Entry, stamp: Stamp): Fact[] {
    switch (entry.type) {
      case 'message': return message(entry, stamp)
      case 'reasoning': return answer(stamp, { reasoning: reasoningOf(entry) })
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call': return answer(stamp, { call: callOf(entry) })
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output': return result(entry, stamp)
      default: return []
    }
  }

  function message (entry: Entry, stamp: Stamp): Fact[] {
    if (entry.role === 'assistant') return answer(stamp, { text: textsOf(entry.content).join('\n') })
    if (entry.role !== 'user') return []
    const all = textsOf(entry.content)
    const text = all.filter((part) => !isOwn(part)).join('\n\n').trim()
    const hasImage = asEntries(entry.content).some((part) => part.type === 'input_image')
    if (text === '' && !hasImage) return workspaceOf(all)
    step++
    if (text === '') return [{ t: 'user', text: '[image]', rank: titleRanks.none, ...stamp }]
    return [{ t: 'user', text, request: requestOf(text), rank: titleRanks.text, ...stamp }]
  }

  function answer (stamp: Stamp, { text, reasoning, call }: { text?: string, reasoning?: string, call?: ForeignCall | null }): Fact[] {
    const part = call != null ? { call } : text?.trim() ? { text } : reasoning?.trim() ? { reasoning } : null
    return part === null ? [] : [{ t: 'answer', answer: `step-${step}`, ...part, ...stamp }]
  }

  function result (entry: Entry, stamp: Stamp): Fact[] {
    const callId = asText(entry.call_id, 200) ?? asText(entry.id, 200)
    if (callId === null) return []
    step++
    return [{ t: 'result', callId, ...outputOf(entry.output), ...stamp }]
  }

  return {
    read (entry) {
      const payload = asEntry(entry.payload)
      const atS = asTime(entry.timestamp)
      if (payload === null) return entry.type === undefined ? header(entry) : item(entry, { atS })
      if (entry.type === 'response_item') return item(payload, { atS })
      return session(entry.type, payload)
    }
  }
}

/** Reads entries that are not part of the conversation. */
function session (type: unknown, payload: Entry): Fact[] {
  const facts: Fact[] = []
  const cwd = asText(payload.cwd, 4096)
  if (type === 'session_meta') {
    facts.push(...header(payload))
    const source = asEntry(payload.source)
    const thread = asText(payload.thread_source)
    if (source?.subagent !== undefined || source?.internal !== undefined || (thread !== null && thread !== 'user')) {
      facts.push({ t: 'left_out' })
    }
  }
  if ((type === 'session_meta' || type === 'turn_context') && cwd !== null) facts.push({ t: 'workspace', path: cwd })
  const model = type === 'turn_context' ? asText(payload.model, 200) : null
  if (model !== null) facts.push({ t: 'model', model })
  if (type === 'event_msg') facts.push(...event(payload))
  return facts
}

function header (meta: Entry): Fact[] {
  const atS = asTime(meta.timestamp)
  return atS === undefined ? [] : [{ t: 'began', atS }]
}

function event (payload: Entry): Fact[] {
  if (payload.type === 'thread_name_updated') {
    const text = asText(payload.thread_name, 1_000)
    return text === null ? [] : [{ t: 'title', text, rank: titleRanks.given }]
  }
  if (paces.has(payload.type)) return [{ t: 'pace', isAtWork: paces.get(payload.type) === true }]
  const total = payload.type === 'token_count' ? asEntry(asEntry(payload.info)?.total_token_usage) : null
  if (total === null) return []
  return [{
    t: 'usage', answer: null, inputTokens: asCount(total.input_tokens), outputTokens: asCount(total.output_tokens),
    cacheReadTokens: asCount(total.cached_input_tokens)
  }]
}

/** How a turn begins and ends, with the names of earlier and current versions. */
const paces = new Map<unknown, boolean>([
  ['task_started', true], ['turn_started', true], ['task_complete', false], ['turn_complete', false], ['turn_aborted', false]
])

function textsOf (content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return asEntries(content).flatMap((part) => {
    const text = asText(part.text)
    return text === null || imageTag.test(text) ? [] : text
  })
}

function isOwn (text: string): boolean {
  const beginning = text.slice(0, 60).trimStart().toLowerCase()
  return ownBeginnings.some((own) => beginning.startsWith(own))
}

/** Old files name the working folder only in the text for the model. */
function workspaceOf (texts: string[]): Fact[] {
  for (const text of texts) {
    const path = insideBlock(text, 'cwd') ?? /Current working directory: ([^\n]{1,4096})/.exec(text)?.[1] ?? ''
    if (path !== '') return [{ t: 'workspace', path: path.slice(0, 4096) }]
  }
  return []
}

function reasoningOf (entry: Entry): string {
  const summary = asEntries(entry.summary).flatMap((part) => asText(part.text) ?? [])
  return (summary.length > 0 ? summary : asEntries(entry.content).flatMap((part) => asText(part.text) ?? [])).join('\n\n')
}

function callOf (entry: Entry): ForeignCall | null {
  const id = asText(entry.call_id, 200) ?? asText(entry.id, 200)
  if (id === null) return null
  if (entry.type === 'local_shell_call') return { id, name: 'shell', args: { command: asEntry(entry.action)?.command } }
  const name = asText(entry.name, 200)
  if (name === null) return null
  if (entry.type === 'function_call') return { id, name, args: entry.arguments }
  // A free text instead of arguments; that of apply_patch is the patch.
  return { id, name, args: { [name === 'apply_patch' ? 'patch' : 'input']: asText(entry.input) ?? '' } }
}

/** A text, parts, or `{content, success}`; shells of 2025 put `{output, metadata}` as JSON into the text. */
function outputOf (output: unknown): { text: string, isError: boolean } {
  if (Array.isArray(output)) {
    return {
      text: asEntries(output).map((part) => part.type === 'input_image' ? '[image]' : asText(part.text) ?? '').join('\n'), isError: false
    }
  }
  const wrapped = asEntry(output)
  if (wrapped !== null) return { text: asText(wrapped.content) ?? '', isError: wrapped.success === false }
  const text = asText(output) ?? ''
  const inner = text.startsWith('{"output":') ? parsed(text) : null
  if (inner === null || typeof inner.output !== 'string') return { text, isError: /^Exit code: [1-9]/.test(text) }
  return { text: inner.output, isError: asCount(asEntry(inner.metadata)?.exit_code) > 0 }
}

const parsed = (text: string): Entry | null => tried(() => asEntry(JSON.parse(text)), null)

/** What the user asked for, without what the editor had open. */
function requestOf (text: string): string {
  const at = text.startsWith('# Context from my IDE setup:') ? text.lastIndexOf(ideRequest) : -1
  return at === -1 ? text : text.slice(at + ideRequest.length).trim()
}
