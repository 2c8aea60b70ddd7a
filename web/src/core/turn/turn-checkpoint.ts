import { type Wire } from '../service/api.js'
import { type Turn } from './turn.js'

/** The clocks of a message and of the folder that was kept for it are the same, but not read at the same moment. */
const slackS = 2

/** How the folder was before a turn that was read from the transcript first wrote to it; null when that was not kept. */
export function checkpointOf (
  list: ReadonlyArray<Wire<'CheckpointEntry'>>, sessionId: string, { startedAtS, durationS }: Pick<Turn, 'startedAtS' | 'durationS'>
): Turn['checkpoint'] {
  if (startedAtS === null) return null
  const endS = durationS === null ? Infinity : startedAtS + durationS + slackS
  // Several turns may have ended between its message and now; the first one that was kept since is its own.
  const found = list.findLast((entry) =>
    entry.kind === 'turn' && entry.session_id === sessionId && entry.created_at >= startedAtS - slackS && entry.created_at <= endS)
  return found === undefined ? null : { id: found.id, state: found.state, reason: found.reason }
}
