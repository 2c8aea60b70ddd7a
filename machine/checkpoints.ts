import { type RequestHandler } from '../services/agent/index.js'
import { type CheckpointNotice } from '../services/areas/checkpoints/index.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { type Checkpoints } from '../services/workspace/checkpoints/index.js'
import { type Territory } from '../services/workspace/files/index.js'
import { type Log } from '../services/ground/log.js'

export interface RunCheckpointsOptions {
  link: NatsLink
  /** The name of this machine. */
  machine: string
  checkpoints: Pick<Checkpoints, 'take' | 'isNews'>
  territory: (workspace: string) => Territory
  log: Log
}

/**
 * Takes the checkpoints that runs of this machine request before they first write, in its own folders, even if the service cannot be
 * reached. The conversation is notified if it can. A failure never stops the run.
 */
export function createRunCheckpoints ({ link, machine, checkpoints, territory, log }: RunCheckpointsOptions): RequestHandler<'checkpoint'> {
  return async ({ place }, { spec: { runId, sessionId, writesFor = { sessionId, runId }, places } }) => {
    if (place !== 'workspace') return null
    try {
      const {
        checkpoint, isNew
      } = await checkpoints.take({ sessionId: writesFor.sessionId, streamId: writesFor.runId, territory: territory(places.workspace) })
      const { id, state, reason } = checkpoint
      const notice: CheckpointNotice = { runId, id, state, reason, isNews: checkpoints.isNews(checkpoint) }
      if (isNew) link.nc.publish(link.subjects.notice(machine, 'checkpoint'), JSON.stringify(notice))
    } catch (error) {
      log('a checkpoint could not be made', { streamId: runId, reason: String(error) })
    }
    return null
  }
}
