import { type Wire } from '../service/api.js'
import { addOutput } from './call-output.js'
import { type TurnFrame } from '../service/link.js'
import { callKey, callOf, keyFor, newCall, userOf, type StoredRow } from './turn-stored.js'
import { emptyTurn, textOf, type CallPart, type EventPart, type Foresight, type Part, type Turn, type UserMessage } from './turn.js'

/** A running turn: its known content, and the state needed to interpret the next frame. */
export interface LiveTurn {
  turn: Turn
  /** Whether calls of the current step have begun: text after them belongs to a new step. */
  hasCalls: boolean
  /** The notes that follow each call in the transcript, by call id. */
  notesAfterCall: ReadonlyMap<string, readonly string[]>
}

/** Returns a turn that has not received any frames. */
export function beginTurn (user: UserMessage | null, notesAfterCall: LiveTurn['notesAfterCall'] = new Map()): LiveTurn {
  return {
    turn: {
      ...emptyTurn,
      user,
      messageIds: user?.messageId == null ? [] : [user.messageId],
      firstIndex: user?.index ?? null,
      state: 'running',
      startedAtS: user?.atS ?? null
    },
    hasCalls: false,
    notesAfterCall
  }
}

/** Returns where the notes belong in a running turn: after the tool call before them. */
function notesAfterCalls (messages: ReadonlyArray<Wire<'Message'>>): Map<string, string[]> {
  const notes = new Map<string, string[]>()
  let callId: string | null = null
  for (const { role, tool_call_id: id, content } of messages) {
    if (role === 'tool') callId = id ?? null
    else if (role === 'user' && callId !== null) notes.set(callId, [...(notes.get(callId) ?? []), textOf(content)])
  }
  return notes
}

/**
 * Splits rows where the running turn begins: at its message or, without one, at the first row since it began. Frames draw that turn from
 * its start, so only the person's messages are taken from its own rows.
 */
export function partAtRunning (
  rows: readonly StoredRow[], { pending_started_at: startedAtS }: Pick<Wire<'SessionDetail'>, 'pending_started_at'>
): { before: readonly StoredRow[], asked: UserMessage | null, notes: ReturnType<typeof notesAfterCalls> } {
  const marked = rows.findIndex(({ message }) => message._active_turn_user === true)
  const first = marked === -1 && startedAtS !== null ? rows.findIndex(({ message }) => message.timestamp >= startedAtS) : marked
  const begin = first === -1 ? rows.length : first
  const asked = rows[begin]
  return {
    before: rows.slice(0, begin),
    asked: asked?.message.role === 'user' ? userOf(asked) : null,
    notes: notesAfterCalls(rows.slice(begin + 1).map(({ message }) => message))
  }
}

/** Returns the turn with one more frame, or unchanged if the frame shows nothing. */
export function foldFrame (live: LiveTurn, frame: TurnFrame, nowS: number): LiveTurn {
  switch (frame.event) {
    case 'token': return hear(live, 'text', frame.data.text)
    case 'reasoning': return hear(live, 'reasoning', frame.data.text)
    case 'interim_assistant': return frame.data.already_streamed ? live : beginAnew(live, frame.data.text)
    case 'tool': return startCall(live, frame.data, nowS)
    case 'tool_output': return print(live, frame.data)
    case 'tool_complete': return endCall(live, frame.data)
    case 'warning': {
      const { type, message: text, reason = null } = frame.data
      return tell(live, { type, text, reason }, type === 'compression_failed' ? 'compressing' : 'retry')
    }
    case 'compressing': return tell(live, { type: 'compressing', text: frame.data.message })
    case 'compressed': return tell(live, { type: 'compressed', text: frame.data.message }, 'compressing')
    case 'state_saved': return tell(live, { type: 'state_saved', text: frame.data.name, saved: frame.data })
    case 'checkpoint': return withTurn(live, { checkpoint: { id: frame.data.id, state: frame.data.state, reason: frame.data.reason } })
    case 'parked': {
      const { provider_name: provider, resumes_at: resumesAtS, problem = null } = frame.data
      return withTurn(live, { parked: { provider, resumesAtS, problem } })
    }
    case 'resumed': return withTurn(live, { parked: null })
    case 'metering': return withTurn(live, { tokensPerSecond: frame.data.tps })
    default: return live
  }
}

/** Adds an accepted note. It stays at the end until the agent speaks again after a result, by which time it has read the note. */
export function addNote (live: LiveTurn, text: string): LiveTurn {
  return withParts(live, [...live.turn.parts, { kind: 'note', key: keyFor(live.turn.parts, 'note'), text, isTaken: false }])
}

/** Ends the turn: open parts are closed, and calls without a result are abandoned. */
export function endTurn (live: LiveTurn, end: Pick<Turn, 'state'> & Partial<Turn>): LiveTurn {
  const parts = close(live.turn.parts).map((part) =>
    part.kind === 'call' && isOpenCall(part) ? { ...part, state: 'abandoned' as const } : part)
  return withTurn(live, { parked: null, ...end, parts })
}

/** Marks the call that waits for the person: the one that the prompt is about, else the last one that has begun; none if nothing waits. */
export function markWaiting (live: LiveTurn, isWaiting: boolean): LiveTurn {
  const { parts } = live.turn
  const open = isWaiting ? parts.filter((part) => part.kind === 'call').filter(isOpenCall) : []
  const waiting = open.findLast(({ foresight }) => foresight !== null) ?? open.at(-1)
  const isWrong = (part: Part): part is CallPart =>
    part.kind === 'call' && isOpenCall(part) && (part.state === 'waiting') !== (part === waiting)
  return parts.some(isWrong)
    ? withParts(live, parts.map((part) => isWrong(part) ? { ...part, state: part === waiting ? 'waiting' : 'running' } : part))
    : live
}

const isOpenCall = ({ state }: CallPart): boolean => state === 'running' || state === 'waiting'

const withTurn = (live: LiveTurn, change: Partial<Turn>): LiveTurn => ({ ...live, turn: { ...live.turn, ...change } })
const withParts = (live: LiveTurn, parts: readonly Part[]): LiveTurn => withTurn(live, { parts })

function hear (live: LiveTurn, kind: 'text' | 'reasoning', text: string): LiveTurn {
  if (text === '') return live
  const step = live.hasCalls ? { ...withParts(live, takeNotes(live.turn.parts)), hasCalls: false } : live
  const parts = [...step.turn.parts]
  const open = parts.findLastIndex((part) => part.kind === kind && part.isOpen)
  const heard = parts[open]
  if (heard?.kind === 'text' || heard?.kind === 'reasoning') {
    parts[open] = { ...heard, text: heard.text + text }
    return withParts(step, parts)
  }
  const added: Part = kind === 'text'
    ? { kind, key: keyFor(parts, kind), text, isOpen: true, isPartial: false, cut: null }
    : { kind, key: keyFor(parts, kind), text, isOpen: true }
  // The transcript stores the reasoning of a step before its text, and both before the notes added meanwhile.
  const said = kind === 'reasoning' ? parts.findLastIndex((part) => part.kind === 'text' && part.isOpen) : -1
  parts.splice(said === -1 ? endOfTold(parts) : said, 0, added)
  return withParts(step, parts)
}

/** Returns the index after everything except unread notes. */
function endOfTold (parts: readonly Part[]): number {
  const last = parts.findLastIndex((part) => !(part.kind === 'note' && !part.isTaken))
  return last + 1
}

/** Marks the notes as read that were added before the last result. */
function takeNotes (parts: readonly Part[]): Part[] {
  return parts.map((part) => part.kind === 'note' && !part.isTaken ? { ...part, isTaken: true } : part)
}

/** Discards the text since the last call. */
function beginAnew (live: LiveTurn, text: string): LiveTurn {
  return hear(withParts(live, live.turn.parts.filter((part) => !(isSpoken(part) && part.isOpen))), 'text', text)
}

const isSpoken = (part: Part): part is Extract<Part, { isOpen: boolean }> => part.kind === 'text' || part.kind === 'reasoning'

/** Closes open text. Blank text is not stored. */
function close (parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    if (!isSpoken(part) || !part.isOpen) return [part]
    return part.text.trim() === '' ? [] : [{ ...part, isOpen: false }]
  })
}

function startCall (live: LiveTurn, { id, name, args, preview, ...rest }: Wire<'ToolStarted'>, nowS: number): LiveTurn {
  const parts = close(live.turn.parts)
  const foresight = foresightOf(rest)
  parts.splice(endOfTold(parts), 0, {
    ...newCall(callKey(parts, id), id, name, args),
    preview: preview === '' ? null : preview,
    startedAtS: nowS,
    foresight
  })
  return { ...withParts(live, parts), hasCalls: true }
}

function foresightOf (frame: Foresight): Foresight | null {
  const {
    file, diff, diff_truncated: isDiffCut, diff_note: note, diff_note_reason: why, job_change: job, command_parts: commands,
    command_parts_truncated: areCut, folder, sandboxed, limited_by: limitedBy, request
  } = frame
  const said = Object.entries({
    file, diff, diff_truncated: isDiffCut, diff_note: note, diff_note_reason: why, job_change: job, command_parts: commands,
    command_parts_truncated: areCut, folder, sandboxed, limited_by: limitedBy, request
  }).filter(([, value]) => value !== undefined)
  return said.length === 0 ? null : Object.fromEntries(said) as Foresight
}

function endCall (live: LiveTurn, { id, name, args, preview, is_error: isError, duration }: Wire<'ToolCompleted'>): LiveTurn {
  const parts = [...live.turn.parts]
  const found = callOf(parts, id)
  const [at, replaced] = found === undefined ? [endOfTold(parts), 0] : [parts.indexOf(found), 1]
  parts.splice(at, replaced, {
    ...found ?? newCall(callKey(parts, id), id, name, args),
    output: null,
    result: preview,
    // The frame has only the beginning; the transcript has the rest.
    resultTruncated: preview.length >= snippetChars,
    durationS: duration,
    state: isError ? 'failed' : 'done'
  })
  const notes = live.notesAfterCall.get(id) ?? []
  for (const text of notes) parts.splice(endOfTold(parts), 0, { kind: 'note', key: keyFor(parts, 'note'), text, isTaken: true })
  return { ...withParts(live, parts), hasCalls: true }
}

/** Adds output to a call; late output, or that of an unknown call, is ignored. */
function print (live: LiveTurn, frame: Wire<'ToolOutput'>): LiveTurn {
  const call = callOf(live.turn.parts, frame.id)
  if (call === undefined || !isOpenCall(call)) return live
  return withParts(live, live.turn.parts.map((part) => part === call ? { ...call, output: addOutput(call.output, frame) } : part))
}

/** About as much of a result as a frame contains. */
const snippetChars = 3_990

type Told = Pick<EventPart, 'type' | 'text'> & Partial<Pick<EventPart, 'reason' | 'saved'>>

/** Adds a line about an ongoing event; the line about its end, or about another attempt, replaces it. */
function tell (live: LiveTurn, { type, text, reason = null, saved = null }: Told, replaces: string | null = null): LiveTurn {
  const parts = [...live.turn.parts]
  const before = parts.findLastIndex((part) => part.kind === 'event')
  const last = parts[before]
  if (last?.kind === 'event' && last.type === replaces && (replaces === 'compressing' || type === replaces)) {
    parts[before] = { ...last, type, text, reason, saved }
  } else {
    parts.splice(endOfTold(parts), 0, { kind: 'event', key: keyFor(parts, 'event'), type, text, reason, saved })
  }
  return withParts(live, parts)
}
