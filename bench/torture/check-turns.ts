import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { call, readEvents, type WireFrame } from '../wire.js'
import { type AcceptedTurn } from './ledger.js'
import { type Tally } from './tally.js'

interface Message {
  role: string
  content: string
  _source?: string
  reasoning?: string
  _partial?: boolean
  _error?: boolean
  tool_calls?: Array<{ id: string }>
  tool_call_id?: string
}
export interface ShownSession {
  session_id: string, is_streaming: boolean, active_stream_id: string | null, runtime_journal: {
    run_id: string
    terminal: boolean
  } | null, messages: Message[]
}

const terminalEvents = new Set(['stream_end', 'cancel', 'apperror'])
const withSession = new Set(['done', 'cancel', 'apperror'])
const replayLimitMs = 15_000

export interface TurnChecks {
  url: string
  tally: Tally
  /** Leaves out the transcript, for hidden sessions. */
  framesOnly?: boolean
}

/** Compares what a turn's reader received with what the service returns now. Returns the replay, or null if none ends. */
export async function checkTurn (turn: AcceptedTurn, { url, tally, framesOnly = false }: TurnChecks): Promise<WireFrame[] | null> {
  const name = `turn ${turn.streamId} ("${turn.message.slice(0, 60)}")`
  const replay = await replayOf(url, turn.streamId)
  tally.tried('frames', turn.received.length)
  tally.checked(turn.received.length + 1)
  if (replay === null) {
    if (turn.received.length > 0 || !framesOnly) {
      tally.lost(
        'frames',
        `${name}: its replay did not end within ${replayLimitMs / 1000} s, or was refused; ${turn.received.length} frames had been received`
      )
    }
    return null
  }
  const told = `; received ${summary(turn.received)}; replayed ${summary(replay)}`
  const wrong = (text: string): void => tally.wrong(`${name}: ${text}${told}`)
  checkOrder(turn, replay, wrong)
  checkReceived(turn, replay, tally, `${name}: `, told)
  if (framesOnly) return replay
  const { status, body } = await call(`${url}/api/session?session_id=${turn.sessionId}`)
  if (status !== 200) tally.lost('sessions', `${name}: its session answers ${status}`)
  else {
    checkTranscript(turn, replay, (body as { session: ShownSession }).session, {
      lost: (kind, text) => tally.lost(kind, `${name}: ${text}${told}`), wrong
    })
  }
  return replay
}

/** Returns all frames of a stream from its beginning; null if it does not end or does not exist. */
export async function replayOf (url: string, streamId: string): Promise<WireFrame[] | null> {
  const frames: WireFrame[] = []
  try {
    const stream = await readEvents(`${url}/api/chat/stream?stream_id=${streamId}&after_seq=0`, (frame) => frames.push(frame))
    const ended = await Promise.race([stream.over, delay(replayLimitMs, null, { ref: false })])
    stream.drop()
    return ended === true ? frames : null
  } catch {
    return null
  }
}

export const digestOf = (frames: unknown): string => createHash('sha256').update(JSON.stringify(frames)).digest('hex')

function checkOrder ({ streamId }: AcceptedTurn, replay: WireFrame[], wrong: (text: string) => void): void {
  for (const [index, { id }] of replay.entries()) {
    if (id !== `${streamId}:${index + 1}`) return wrong(`frame ${index + 1} of the replay has the id ${id}`)
  }
  const terminal = replay.filter(({ event }) => terminalEvents.has(event))
  if (terminal.length !== 1) wrong(`${terminal.length} terminal frames: ${terminal.map(({ event, id }) => `${event} ${id}`).join(', ')}`)
  const last = replay.at(-1)
  if (last === undefined || !terminalEvents.has(last.event)) wrong(`the replay ends with ${last?.event ?? 'nothing'}`)
  if (last?.event === 'stream_end' && !replay.some(({ event }) => event === 'done')) wrong('stream_end without done')
  if (replay.filter(({ event }) => event === 'done').length > 1) wrong('more than one done')
}

function checkReceived ({ received, cancelled }: AcceptedTurn, replay: WireFrame[], tally: Tally, name: string, told: string): void {
  const byId = new Map(replay.map((frame) => [frame.id, frame]))
  for (const [index, frame] of received.entries()) {
    const stored = byId.get(frame.id)
    if (frame.id !== replay[index]?.id) tally.wrong(`${name}it was sent ${frame.id} as frame ${index + 1}${told}`)
    if (stored === undefined) tally.lost('frames', `${name}received ${frame.event} ${frame.id} is not in the replay${told}`)
    else if (!isSame(frame, stored)) {
      tally.lost(
        'frames',
        `${name}${frame.event} ${frame.id} is another one: received ${frame.data.slice(0, 200)}, replayed ${stored.event} ${stored.data.slice(0, 200)}`
      )
    }
  }
  const end = replay.at(-1)?.event
  if (cancelled && end !== 'cancel') tally.wrong(`${name}it was cancelled, and its replay ends with ${end}${told}`)
}

/**
 * Compares frames. The session in a last frame shows its state at the time, and may have been renamed since; the frame itself
 * must not change.
 */
function isSame (received: WireFrame, stored: WireFrame): boolean {
  if (received.event !== stored.event) return false
  if (received.data === stored.data) return true
  return withSession.has(received.event) && withoutSession(received.data) === withoutSession(stored.data)
}

function withoutSession (data: string): string {
  const { session, ...rest } = JSON.parse(data) as Record<string, unknown>
  return JSON.stringify(rest)
}

interface Found { lost (kind: 'messages' | 'steers', text: string): void, wrong (text: string): void }

function checkTranscript (turn: AcceptedTurn, replay: WireFrame[], session: ShownSession, { lost, wrong }: Found): void {
  if (session.is_streaming || session.active_stream_id !== null) wrong(`its session still streams (${session.active_stream_id})`)
  if (session.runtime_journal?.run_id === turn.streamId && !session.runtime_journal.terminal) wrong('its journal is not terminal')
  const at = session.messages.findIndex(({ role, content }) => role === 'user' && content === turn.message)
  if (at === -1) return lost('messages', 'the user\'s message is not in the transcript')
  if (session.messages.filter(({ content }) => content === turn.message).length > 1) wrong('the user\'s message is there more than once')
  const next = session.messages.findIndex(({ role, _source: source }, index) => index > at && role === 'user' && source !== 'steer')
  const rows = session.messages.slice(at + 1, next === -1 ? undefined : next)
  checkSteers(turn, replay, rows, lost)
  const answers = rows.filter(({ role, _error: error }) => role === 'assistant' && error !== true)
  compare('text', textIn(replay, 'token'), answers.map(({ content }) => content).join(''), lost)
  compare('reasoning', textIn(replay, 'reasoning'), answers.map(({ reasoning = '' }) => reasoning).join(''), lost)
  const calls = answers.flatMap(({ tool_calls: made = [] }) => made.map(({ id }) => id))
  const results = rows.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id)
  if (calls.length !== results.length || calls.some((id) => !results.includes(id))) {
    wrong(`${calls.length} tool calls have ${results.length} results`)
  }
  const end = replay.at(-1)?.event
  const errors = rows.filter(({ _error: error }) => error === true).length
  if (errors !== (end === 'apperror' ? 1 : 0)) wrong(`${errors} error rows after ${end}`)
  const partials = answers.filter(({ _partial: partial }) => partial === true).length
  if (partials > 1 || (partials === 1 && end === 'stream_end')) wrong(`${partials} partial rows after ${end}`)
}

/** Checks that an accepted steer became a message or was handed back; never both and never neither. */
function checkSteers ({ steers }: AcceptedTurn, replay: WireFrame[], rows: Message[], lost: Found['lost']): void {
  const handedBack = replay.filter(({ event }) => event === 'pending_steer_leftover').flatMap(({ data }) =>
    (JSON.parse(data) as { text: string }).text.split('\n'))
  for (const text of steers) {
    const places = rows.filter(({ content }) => content === text).length + handedBack.filter((entry) => entry === text).length
    if (places !== 1) lost('steers', `the accepted steer "${text}" is in ${places} places`)
  }
}

/** Returns what a client shows in the end: an `interim_assistant` that was not streamed replaces what came before it. */
export function textIn (frames: WireFrame[], kind: 'token' | 'reasoning'): string {
  let text = ''
  for (const { event, data } of frames) {
    if (event === kind) text += (JSON.parse(data) as { text: string }).text
    if (event !== 'interim_assistant') continue
    const { text: instead, already_streamed: streamed } = JSON.parse(data) as { text: string, already_streamed: boolean }
    if (!streamed) text = kind === 'token' ? instead : ''
  }
  return text
}

function compare (what: string, streamed: string, stored: string, lost: Found['lost']): void {
  if (streamed === stored) return
  let same = 0
  while (same < streamed.length && streamed[same] === stored[same]) same++
  lost(
    'messages', `${what}: ${streamed.length} characters were streamed, ${stored.length} are in the transcript; they differ from ${same} on`
  )
}

/** Returns for example `token×12 tool tool_complete token×3 apperror`. */
function summary (frames: WireFrame[]): string {
  const runs: Array<{ event: string, count: number }> = []
  for (const { event } of frames) {
    if (runs.at(-1)?.event === event) runs.at(-1)!.count++
    else runs.push({ event, count: 1 })
  }
  return `${frames.length} [${runs.slice(-20).map(({ event, count }) => count === 1 ? event : `${event}×${count}`).join(' ')}]`
}
