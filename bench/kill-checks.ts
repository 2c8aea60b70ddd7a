import Sqlite from 'better-sqlite3'
import { setTimeout as delay } from 'node:timers/promises'
import { call, readEvents, type WireFrame } from './wire.js'

/** A turn whose start call was answered, and what a reader had received when the service was killed. */
export interface AcceptedTurn {
  sessionId: string
  streamId: string
  message: string
  received: WireFrame[]
  /** The cancel call was answered with `cancelled: true`. */
  cancelled: boolean
  /** Texts whose steer call was answered with `accepted: true`. */
  steers: string[]
}

export interface Findings {
  violations: string[]
  /** Received frames of which only the session inside differs from the replay. */
  sessionOnly: string[]
}

interface Message { role: string, content: string, _source?: string, reasoning?: string, _partial?: boolean, _error?: boolean, tool_calls?: Array<{ id: string }>, tool_call_id?: string }
interface Session { session_id: string, is_streaming: boolean, active_stream_id: string | null, runtime_journal: { run_id: string, terminal: boolean } | null, messages: Message[] }

const terminalEvents = new Set(['stream_end', 'cancel', 'apperror'])
const withSession = new Set(['done', 'cancel', 'apperror'])
const replayLimitMs = 10_000

/** Compares what a turn's reader had with what the service says after its restart. */
export async function checkTurn (url: string, turn: AcceptedTurn): Promise<Findings> {
  const findings: Findings = { violations: [], sessionOnly: [] }
  const name = `turn ${turn.streamId} ("${turn.message}")`
  const wrong = (text: string): void => { findings.violations.push(`${name}: ${text}`) }
  const replay = await replayOf(url, turn.streamId)
  if (replay === null) {
    wrong(`its replay did not end within ${replayLimitMs / 1000} s`)
    return findings
  }
  checkOrder(turn, replay, wrong)
  checkReceived(turn, replay, wrong, (text) => findings.sessionOnly.push(`${name}: ${text}`))
  const { status, body } = await call(`${url}/api/session?session_id=${turn.sessionId}`)
  if (status !== 200) {
    wrong(`its session answers ${status}`)
    return findings
  }
  checkTranscript(turn, replay, (body as { session: Session }).session, wrong)
  return findings
}

/** All frames of a stream from its beginning, null when it does not end. */
export async function replayOf (url: string, streamId: string): Promise<WireFrame[] | null> {
  const frames: WireFrame[] = []
  const stream = await readEvents(`${url}/api/chat/stream?stream_id=${streamId}&after_seq=0`, (frame) => frames.push(frame))
  const ended = await Promise.race([stream.over, delay(replayLimitMs, null, { ref: false })])
  stream.drop()
  return ended === true ? frames : null
}

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

function checkReceived ({ received, cancelled }: AcceptedTurn, replay: WireFrame[], wrong: (text: string) => void, sessionDiffers: (text: string) => void): void {
  const byId = new Map(replay.map((frame) => [frame.id, frame]))
  for (const [index, frame] of received.entries()) {
    const stored = byId.get(frame.id)
    if (frame.id !== replay[index]?.id) wrong(`it was sent ${frame.id} as frame ${index + 1}`)
    if (stored === undefined) wrong(`received ${frame.event} ${frame.id} is not in the replay (which has ${replay.length})`)
    else if (stored.event !== frame.event) wrong(`${frame.id} was ${frame.event}, is ${stored.event} now`)
    else if (stored.data !== frame.data) {
      if (withSession.has(frame.event) && withoutSession(stored.data) === withoutSession(frame.data)) sessionDiffers(`${frame.event} ${frame.id}`)
      else wrong(`${frame.event} ${frame.id} has other data: received ${frame.data.slice(0, 200)}, replayed ${stored.data.slice(0, 200)}`)
    }
  }
  const end = replay.at(-1)?.event
  if (cancelled && end !== 'cancel') wrong(`it was cancelled, and its replay ends with ${end}`)
}

function withoutSession (data: string): string {
  const { session, ...rest } = JSON.parse(data) as Record<string, unknown>
  return JSON.stringify(rest)
}

function checkTranscript (turn: AcceptedTurn, replay: WireFrame[], session: Session, wrong: (text: string) => void): void {
  if (session.is_streaming || session.active_stream_id !== null) wrong(`its session still streams (${session.active_stream_id})`)
  if (session.runtime_journal?.run_id === turn.streamId && !session.runtime_journal.terminal) wrong('its journal is not terminal')
  const at = session.messages.findIndex(({ role, content }) => role === 'user' && content === turn.message)
  if (at === -1) return wrong('the user\'s message is not in the transcript')
  if (session.messages.filter(({ content }) => content === turn.message).length > 1) wrong('the user\'s message is there more than once')
  const next = session.messages.findIndex(({ role, _source: source }, index) => index > at && role === 'user' && source !== 'steer')
  const rows = session.messages.slice(at + 1, next === -1 ? undefined : next)
  checkSteers(turn, replay, rows, wrong)
  const answers = rows.filter(({ role, _error: error }) => role === 'assistant' && error !== true)
  compare('text', textIn(replay, 'token'), answers.map(({ content }) => content).join(''), wrong)
  compare('reasoning', textIn(replay, 'reasoning'), answers.map(({ reasoning = '' }) => reasoning).join(''), wrong)
  const calls = answers.flatMap(({ tool_calls: made = [] }) => made.map(({ id }) => id))
  const results = rows.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id)
  if (calls.length !== results.length || calls.some((id) => !results.includes(id))) wrong(`${calls.length} tool calls have ${results.length} results`)
  const isInterrupted = replay.at(-1)?.event === 'apperror'
  const errors = rows.filter(({ _error: error }) => error === true).length
  if (errors !== (isInterrupted ? 1 : 0)) wrong(`${errors} error rows after ${replay.at(-1)?.event}`)
  const partials = answers.filter(({ _partial: partial }) => partial === true).length
  if (partials > 1 || (partials === 1 && replay.at(-1)?.event === 'stream_end')) wrong(`${partials} partial rows after ${replay.at(-1)?.event}`)
}

/** An accepted steer has become a message, or was handed back; never both and never neither. */
function checkSteers ({ steers }: AcceptedTurn, replay: WireFrame[], rows: Message[], wrong: (text: string) => void): void {
  const handedBack = replay.filter(({ event }) => event === 'pending_steer_leftover').flatMap(({ data }) => (JSON.parse(data) as { text: string }).text.split('\n'))
  for (const text of steers) {
    const places = rows.filter(({ content }) => content === text).length + handedBack.filter((entry) => entry === text).length
    if (places !== 1) wrong(`the accepted steer "${text}" is in ${places} places`)
  }
}

function textIn (frames: WireFrame[], kind: 'token' | 'reasoning'): string {
  return frames.filter(({ event }) => event === kind).map(({ data }) => (JSON.parse(data) as { text: string }).text).join('')
}

function compare (what: string, streamed: string, stored: string, wrong: (text: string) => void): void {
  if (streamed === stored) return
  let same = 0
  while (same < streamed.length && streamed[same] === stored[same]) same++
  wrong(`${what}: ${streamed.length} characters were streamed, ${stored.length} are in the transcript; they differ from ${same} on`)
}

/** What must hold for the state as a whole right after a restart. */
export async function checkState (url: string, file: string): Promise<string[]> {
  const violations: string[] = []
  const db = new Sqlite(file, { readonly: true })
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') violations.push(`integrity_check: ${String(integrity)}`)
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0) violations.push('foreign_key_check finds rows')
    const open = db.prepare("select id, state from streams where state <> 'closed'").all()
    if (open.length > 0) violations.push(`streams still open: ${JSON.stringify(open)}`)
    const prompts = db.prepare("select id, state from prompts where state in ('open', 'answering')").all()
    if (prompts.length > 0) violations.push(`prompts still open: ${JSON.stringify(prompts)}`)
    const holes = db.prepare('select id from sessions where message_count <> (select count(*) from messages where session_id = sessions.id)').all()
    if (holes.length > 0) violations.push(`message counts that are wrong: ${JSON.stringify(holes)}`)
    const journals = db.prepare('select id from streams where last_seq <> (select count(*) from frames where stream_id = streams.id)').all()
    if (journals.length > 0) violations.push(`journals with holes: ${JSON.stringify(journals)}`)
  } finally {
    db.close()
  }
  const { sessions } = (await call(`${url}/api/sessions`)).body as { sessions: Session[] }
  for (const session of sessions) {
    if (session.is_streaming || session.active_stream_id !== null) violations.push(`session ${session.session_id} is listed as streaming`)
  }
  return violations
}
