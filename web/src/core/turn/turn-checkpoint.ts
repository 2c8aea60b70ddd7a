import { type Wire } from '../service/api.js'
import { type Turn } from './turn.js'

/** A message and its checkpoint use the same clock, but read it at different moments. */
const slackS = 2

/** Returns the checkpoint made before a stored turn first wrote to the folder; null if there is none. */
export function checkpointOf (
  list: ReadonlyArray<Wire<'CheckpointEntry'>>, sessionId: string, { startedAtS, durationS }: Pick<Turn, 'startedAtS' | 'durationS'>
): Turn['checkpoint'] {
  if (startedAtS === null) return null
  const endS = durationS === null ? Infinity : startedAtS + durationS + slackS
  // Later turns may have checkpoints too; the first one after its message is its own.
  const found = list.findLast((entry) =>
    entry.kind === 'turn' && entry.session_id === sessionId && entry.created_at >= startedAtS - slackS && entry.created_at <= endS)
  return found === undefined ? null : { id: found.id, state: found.state, reason: found.reason }
}
