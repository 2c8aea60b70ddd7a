// OpenCode keeps messages and their parts as JSON in the database ~/.local/share/opencode/opencode.db. A message of the model is one step
// of a turn and names the user's message that it answers; both grow in their rows. Versions before 2026 had files instead, which it
// brings into the database when it is started.

import { basename } from 'node:path'
import { asCount, asEntries, asEntry, asText, titleRanks, type Entry, type Fact, type ForeignCall, type Reader, type Stamp } from '../facts.js'
import { openCodeStore } from '../opencode/store.js'
import { type Maker } from '../maker.js'

export const openCode: Maker = {
  source: 'opencode',
  name: 'OpenCode',
  preset: 'opencode',
  suffix: 'opencode',
  root: '.local/share/opencode',
  store: openCodeStore,
  reader: createOpenCodeReader,
  idOf: (name) => name,
  nativeId: async (path) => basename(path),
  id: /^ses_[A-Za-z\d]{10,60}$/
}

/** Reads the entries of openCodeStore: the session, then its messages with their parts. */
function createOpenCodeReader (): Reader {
  return {
    read (entry) {
      const session = asEntry(entry.session)
      if (session !== null) return head(session)
      const message = asEntry(entry.message)
      if (message === null) return []
      const stamp: Stamp = { uuid: asText(message.id, 200) ?? undefined, atS: seconds(asEntry(message.time)?.created) }
      const parts = asEntries(entry.parts)
      return message.role === 'user' ? user(parts, stamp) : message.role === 'assistant' ? answer(message, parts, stamp) : []
    },
    link (entry) {
      const message = asEntry(entry.message)
      return { id: asText(message?.id, 200), parent: asText(message?.parentID, 200) }
    }
  }
}

function seconds (ms: unknown): number | undefined {
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms / 1000 : undefined
}

function head (session: Entry): Fact[] {
  const atS = seconds(session.time_created)
  const path = asText(session.directory, 4096)
  const title = asText(session.title, 1_000)
  const cacheReadTokens = asCount(session.tokens_cache_read)
  return [
    ...atS === undefined ? [] : [{ t: 'began' as const, atS }],
    ...path === null ? [] : [{ t: 'workspace' as const, path }],
    // The placeholder until a model has named the session.
    ...title === null || /^(?:New|Child) session - \d/.test(title) ? [] : [{ t: 'title' as const, text: title, rank: titleRanks.generated }],
    {
      t: 'usage', answer: null, cacheReadTokens, inputTokens: asCount(session.tokens_input) + cacheReadTokens + asCount(session.tokens_cache_write),
      outputTokens: asCount(session.tokens_output) + asCount(session.tokens_reasoning)
    }
  ]
}

function user (parts: Entry[], stamp: Stamp): Fact[] {
  const text = parts.flatMap((part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true ? asText(part.text) ?? [] : []).join('\n\n').trim()
  if (text !== '') return [{ t: 'user', text, rank: titleRanks.text, ...stamp }]
  return parts.some(({ type }) => type === 'file') ? [{ t: 'user', text: '[image]', rank: titleRanks.none, ...stamp }] : []
}

function answer (message: Entry, parts: Entry[], stamp: Stamp): Fact[] {
  // The summary of a compacted conversation.
  if (message.summary === true) return []
  const key = stamp.uuid ?? `at-${String(stamp.atS)}`
  const error = asEntry(message.error)
  const isStopped = error?.name === 'MessageAbortedError'
  const reason = error === null || isStopped ? null : asText(asEntry(error.data)?.message, 2_000) ?? asText(error.name, 200)
  const said = parts.flatMap((part): Array<{ text: string } | { reasoning: string } | { call: ForeignCall }> => {
    const text = asText(part.text)
    if (part.type === 'text' && text?.trim()) return [{ text }]
    if (part.type === 'reasoning' && text?.trim()) return [{ reasoning: text }]
    const call = callOf(part)
    return call === null ? [] : [{ call }]
  })
  const model = asText(message.modelID, 200)
  return [
    ...said.map((part) => ({ t: 'answer' as const, answer: key, ...part, ...stamp })),
    ...reason === null ? [] : [{ t: 'answer' as const, answer: key, text: reason, isError: true, ...stamp }],
    ...parts.flatMap(result),
    ...model === null ? [] : [{ t: 'model' as const, model }],
    ...error === null && message.finish !== 'stop' ? [] : [{ t: 'pace' as const, isAtWork: false }],
    ...message.finish === 'tool-calls' ? [{ t: 'pace' as const, isAtWork: true }] : []
  ]
}

function callOf (part: Entry): ForeignCall | null {
  const id = part.type === 'tool' ? asText(part.callID, 200) : null
  const name = asText(part.tool, 200)
  return id === null || name === null ? null : { id, name, args: asEntry(part.state)?.input }
}

function result (part: Entry): Fact[] {
  const call = callOf(part)
  const state = asEntry(part.state)
  if (call === null || state === null || (state.status !== 'completed' && state.status !== 'error')) return []
  const isError = state.status === 'error'
  return [{ t: 'result', callId: call.id, text: asText(isError ? state.error : state.output) ?? '', isError, atS: seconds(asEntry(state.time)?.end) }]
}
