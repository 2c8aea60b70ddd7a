import { type Turn } from './turns.js'
import { frame } from '../ground/events/index.js'
import { type Territory } from '../workspace/files/index.js'
import { type Sessions } from '../sessions/index.js'
import { type Checkpoints } from '../workspace/checkpoints/index.js'

export interface TurnCheckpointsOptions {
  checkpoints: Checkpoints
  sessions: Sessions
  /** The stream that is live in a session. */
  activeStream: (sessionId: string) => string | undefined
  territory: (workspace: string) => Territory
  log: (message: string, details: Record<string, unknown>) => void
}

/** Runs ask for a checkpoint before they first write; this gives it to them, and tells the conversation. */
export function createTurnCheckpoints ({ checkpoints, sessions, activeStream, territory, log }: TurnCheckpointsOptions) {
  /** A sub-agent in the same folder works for its parent's turn; a background task for a conversation, but beside its turns. */
  function owner ({ sessionId, streamId, plan }: Turn): { sessionId: string, streamId: string } {
    const { parentSessionId, workspace } = sessions.get(sessionId)
    if (parentSessionId === null || !sessions.has(parentSessionId)) return { sessionId, streamId }
    if (plan.kind === 'background') return { sessionId: parentSessionId, streamId }
    const parentStream = plan.kind === 'delegate' && sessions.get(parentSessionId).workspace === workspace ? activeStream(parentSessionId) : undefined
    return parentStream === undefined ? { sessionId, streamId } : { sessionId: parentSessionId, streamId: parentStream }
  }

  async function take (turn: Turn, workspace: string): Promise<void> {
    const { checkpoint, isNew } = await checkpoints.take({ ...owner(turn), territory: territory(workspace) })
    if (!isNew || turn.phase !== 'running') return
    const { id, state, reason } = checkpoint
    turn.recorder.tell(() => [frame('checkpoint', { session_id: turn.sessionId, id, state, reason })])
    if (checkpoints.isNews(checkpoint)) {
      turn.recorder.tell(() => [frame('warning', { type: 'checkpoint_skipped', message: `What this turn changes in the workspace cannot be taken back: ${reason ?? ''}` })])
    }
  }

  return {
    /** A run is about to write in a workspace, and goes on whatever becomes of this. Never rejects. */
    async take (turn: Turn, workspace: string): Promise<void> {
      await take(turn, workspace).catch((error: unknown) => log('a checkpoint could not be taken', { streamId: turn.streamId, reason: String(error) }))
    }
  }
}

export type TurnCheckpoints = ReturnType<typeof createTurnCheckpoints>
