import { oneRow, type Database } from '../../ground/database/index.js'
import { type Liveness } from './rows.js'

export interface LiveStream { id: string, startedAt: number, userMessageId: string | null }

/**
 * Reads what is going on in sessions from the rows of streams, prompts and queues. Those areas are built on sessions and cannot be called
 * from here; and this is needed for each row of every list, where three index look-ups cost least.
 */
export function createLiveness ({ sqlite }: Database) {
  const stream = sqlite.prepare<[string], LiveStream>(
    "select id, started_at as startedAt, user_message_id as userMessageId from streams where session_id = ? and state = 'active'")
  const waiting = sqlite.prepare<[string], { kind: string, count: number }>(
    "select kind, count(*) as count from prompts where session_id = ? and state in ('open', 'answering') group by kind")

  const parked = sqlite.prepare<[string], { resumesAt: number | null }>(
    'select resumes_at as resumesAt from parked_turns where stream_id = ? and is_resuming = 0')
  const queued = sqlite.prepare<[string], number>('select count(*) from queue_entries where session_id = ?').pluck()

  return {
    /** Returns the active stream of a session. */
    stream: (id: string): LiveStream | undefined => stream.get(id),

    /** @param live the active stream of the session if it is known; null: there is none */
    of (id: string, live: LiveStream | null = stream.get(id) ?? null): Liveness {
      let approvals = 0
      let questions = 0
      for (const { kind, count } of waiting.all(id)) {
        if (kind === 'approval') approvals = count
        else questions = count
      }
      const limit = live === null ? undefined : parked.get(live.id)
      return {
        streamId: live?.id ?? null, startedAt: live?.startedAt ?? null, approvals, questions, queued: oneRow(queued, id),
        ...(limit === undefined ? {} : { resumesAt: limit.resumesAt })
      }
    }
  }
}

export type LivenessOf = ReturnType<typeof createLiveness>
