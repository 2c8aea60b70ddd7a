import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type chatFrames } from '../../../schemas/chat.js'
import { type RunSpec } from '../../agent/protocol.js'
import { type Chat, type Turn } from '../chat/index.js'
import { framesOf } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type Territory } from '../../workspace/files/index.js'
import { type Sessions } from '../sessions/index.js'
import { type Checkpoints } from '../../workspace/checkpoints/index.js'
import { reason as reasonFor } from '../../../reasons/index.js'
import { toldBy } from '../../agent/protocol.js'

const frame = framesOf<typeof chatFrames>()

export interface TurnCheckpointsOptions {
  chat: Pick<Chat, 'turn'>
  checkpoints: Checkpoints
  sessions: Sessions
  territory: (workspace: string) => Territory
  log: Log
}

const noticeForm = Type.Object({
  runId: Type.String(),
  id: Type.String({ maxLength: 100 }),
  state: Type.Union([Type.Literal('ready'), Type.Literal('skipped')]),
  reason: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
  isNews: Type.Boolean()
})

/** What a machine reports about a checkpoint that it has made for a run. */
export type CheckpointNotice = Static<typeof noticeForm>

/** Runs ask for a checkpoint before they first write; makes it, and tells the conversation. */
export function createTurnCheckpoints ({ chat, checkpoints, sessions, territory, log }: TurnCheckpointsOptions) {
  async function take (
    turn: Turn, { writesFor: { sessionId, runId }, workspace }: { writesFor: NonNullable<RunSpec['writesFor']>, workspace: string }
  ): Promise<void> {
    const { checkpoint, isNew } = await checkpoints.take({ sessionId, streamId: runId, territory: territory(workspace) })
    if (isNew) tell(turn, { ...checkpoint, isNews: checkpoints.isNews(checkpoint) })
  }

  function tell (turn: Turn, { id, state, reason, isNews }: Omit<CheckpointNotice, 'runId'>): void {
    if (!turn.isRunning) return
    turn.recorder.tell(() => [frame('checkpoint', { session_id: turn.sessionId, id, state, reason })])
    if (isNews) {
      turn.recorder.tell(() => [frame('warning', {
        type: 'checkpoint_skipped', ...toldBy(reasonFor('changes_stay', { why: reason ?? '' }))
      })])
    }
  }

  return {
    /** Called when a run is about to write in its workspace; the run continues whether or not this succeeds. Never rejects. */
    async beforeWriting (
      { runId, sessionId, writesFor = { sessionId, runId }, host: machine, places: { workspace } }: RunSpec
    ): Promise<void> {
      // The machine on which the run works makes the checkpoint, in its own folders.
      if (machine !== undefined) return
      const turn = chat.turn(runId)
      if (turn?.isRunning !== true) return
      await take(turn, { writesFor, workspace }).catch((error: unknown) =>
        log('a checkpoint could not be made', { streamId: runId, reason: String(error) }))
    },

    /** Called when a machine has made a checkpoint. Ignored for turns that do not run on that machine. */
    taken (machine: string, notice: unknown): void {
      if (!Value.Check(noticeForm, notice)) return
      const turn = chat.turn(notice.runId)
      if (turn !== undefined && remoteFolder(sessions.get(turn.sessionId).workspace)?.machine === machine) tell(turn, notice)
    }
  }
}
