import { type Api, type Wire } from '../service/api.js'
import { checkpointOf } from './turn-checkpoint.js'
import { type FileChange } from './turn-changes.js'
import { type Turn } from './turn.js'

/** The changes that a turn made to a folder. */
export interface TurnDiff extends Pick<Wire<'CheckpointDiff'>, 'diff' | 'truncated'> {
  checkpoint: string
  /** The later checkpoint that it was compared with; null: the files as they are now. */
  to: string | null
}

/**
 * Reads the changes since a turn first wrote to the folder: up to the next checkpoint, or up to now if `isLast`. Null without a checkpoint.
 * Throws ApiError.
 */
export async function readTurnDiff (
  api: Api, sessionId: string, turn: Pick<Turn, 'startedAtS' | 'durationS' | 'checkpoint'>, isLast: boolean
): Promise<TurnDiff | null> {
  const list = isLast && turn.checkpoint !== null
    ? []
    : (await api.get('/api/rollback/list', { session_id: sessionId })).checkpoints
  const own = turn.checkpoint ?? checkpointOf(list, sessionId, turn)
  if (own?.state !== 'ready') return null
  const at = list.findIndex(({ id }) => id === own.id)
  const to = isLast ? null : list.slice(0, Math.max(0, at)).findLast(({ state }) => state === 'ready')?.id ?? null
  const { diff, truncated } = await api.get('/api/rollback/diff', {
    session_id: sessionId, checkpoint: own.id, renames: '1', ...(to !== null && { to })
  })
  return { checkpoint: own.id, to, diff, truncated }
}

/** The parts of a parsed diff that count a file's lines. */
interface Counted { path: string, from: string | null, added: number, removed: number }

/** Returns the files of a turn under their present names, with the numbers of the folder's diff if that is complete. */
export function countedChanges (files: readonly FileChange[], diff: readonly Counted[]): FileChange[] {
  const counted = files.map((file) => {
    const now = diff.find(({ path }) => path === file.path) ?? diff.find(({ from }) => from === file.path)
    return now === undefined ? file : { path: now.path, added: now.added, removed: now.removed }
  })
  return counted.filter(({ path }, at) => counted.findIndex((one) => one.path === path) === at)
}
