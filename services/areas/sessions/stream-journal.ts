import { type Static } from '@sinclair/typebox'
import { type StreamJournal } from '../../../schemas/sessions.js'

/** How far a stream has come, as its row has it. */
interface JournalColumns {
  lastSeq: number
  lastEvent: string | null
  state: string
  terminalState: string | null
  /** The turn waits for the limit of a provider. */
  isParked: boolean
}

/** Returns how a turn ended, or what it does, in the words of the interface. */
export function terminalStateOf (
  { lastSeq, terminalState, isParked }: Pick<JournalColumns, 'lastSeq' | 'terminalState' | 'isParked'>
): string {
  return terminalState ?? (lastSeq === 0 ? 'unknown' : isParked ? 'parked' : 'running')
}

/** Returns the state of the frames of a turn. It is terminal from `done` on, although other frames may follow. */
export function journalToWire (streamId: string, sessionId: string, columns: JournalColumns): Static<typeof StreamJournal> {
  const { lastSeq, lastEvent, state } = columns
  return {
    session_id: sessionId,
    run_id: streamId,
    last_seq: lastSeq,
    last_event_id: `${streamId}:${lastSeq}`,
    last_event: lastEvent,
    terminal: state === 'settling' || state === 'closed',
    terminal_state: terminalStateOf(columns)
  }
}
