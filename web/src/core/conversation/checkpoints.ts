import { type Api, type Wire } from '../service/api.js'
import { createResource, type Resource } from '../service/resource.js'

export type Checkpoint = Wire<'CheckpointEntry'>
export type CheckpointDiff = Wire<'CheckpointDiff'>
export type Restored = Wire<'Restored'>

/** The checkpoints of a session's folder, one before each turn that wrote to it. */
export class Checkpoints {
  readonly list: Resource<readonly Checkpoint[]>

  constructor (readonly api: Api, readonly sessionId: string) {
    this.list = createResource<readonly Checkpoint[]>(async () =>
      (await api.get('/api/rollback/list', { session_id: sessionId })).checkpoints)
  }

  /** Returns the changes since a checkpoint, which restoring would undo. Throws ApiError. */
  async diff (id: string): Promise<CheckpointDiff> {
    return await this.api.get('/api/rollback/diff', { session_id: this.sessionId, checkpoint: id, renames: '1' })
  }

  /**
   * Restores the folder, or some of its paths. `force`: even if no checkpoint of the present state can be made first (409
   * `no_safety_checkpoint`). Throws ApiError.
   */
  async restore (id: string, { paths, force = false }: { paths?: readonly string[], force?: boolean } = {}): Promise<Restored> {
    const restored = await this.api.post('/api/rollback/restore', {
      session_id: this.sessionId, checkpoint: id, force, ...(paths !== undefined && { paths: [...paths] })
    })
    void this.list.refresh()
    return restored
  }
}
