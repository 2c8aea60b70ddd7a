import { type chatFrames } from '../../schemas/chat.js'
import { type RunSpec } from '../agent/protocol.js'
import { type Chat, type Turn } from '../chat/index.js'
import { framesOf } from '../ground/events/index.js'
import { type Territory } from '../workspace/files/index.js'
import { type Sessions } from '../sessions/index.js'
import { type Checkpoints } from '../workspace/checkpoints/index.js'

const frame = framesOf<typeof chatFrames>()

export interface TurnCheckpointsOptions {
  chat: Pick<Chat, 'turn' | 'activeStream'>
  checkpoints: Checkpoints
  sessions: Sessions
  territory: (workspace: string) => Territory
  log: (message: string, details: Record<string, unknown>) => void
}

/** Runs ask for a checkpoint before they first write; this gives it to them, and tells the conversation. */
export function createTurnCheckpoints ({ chat, checkpoints, sessions, territory, log }: TurnCheckpointsOptions) {
  /** A sub-agent in the same folder works for its parent's turn; a background task for a conversation, but beside its turns. */
  function owner ({ sessionId, streamId, plan }: Turn): { sessionId: string, streamId: string } {
    const { parentSessionId, workspace } = sessions.get(sessionId)
    if (parentSessionId === null || !sessions.has(parentSessionId)) return { sessionId, streamId }
    if (plan.kind === 'background') return { sessionId: parentSessionId, streamId }
    const parentStream = plan.kind === 'delegate' && sessions.get(parentSessionId).workspace === workspace ? chat.activeStream(parentSessionId) : undefined
    return parentStream === undefined ? { sessionId, streamId } : { sessionId: parentSessionId, streamId: parentStream }
  }

  async function take (turn: Turn, workspace: string): Promise<void> {
    const { checkpoint, isNew } = await checkpoints.take({ ...owner(turn), territory: territory(workspace) })
    if (!isNew || !turn.isRunning) return
    const { id, state, reason } = checkpoint
    turn.recorder.tell(() => [frame('checkpoint', { session_id: turn.sessionId, id, state, reason })])
    if (checkpoints.isNews(checkpoint)) {
      turn.recorder.tell(() => [frame('warning', { type: 'checkpoint_skipped', message: `What this turn changes in the workspace cannot be taken back: ${reason ?? ''}` })])
    }
  }

  /** A run is about to write in its workspace, and goes on whatever becomes of this. Never rejects. */
  return async function beforeWriting ({ runId, host, places }: RunSpec): Promise<void> {
    // The machine that it works on takes it, in its own folders.
    if (host !== undefined) return
    const turn = chat.turn(runId)
    if (turn?.isRunning !== true) return
    await take(turn, places.workspace).catch((error: unknown) => log('a checkpoint could not be taken', { streamId: runId, reason: String(error) }))
  }
}
