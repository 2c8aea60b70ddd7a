import { type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import { type GitEngine } from './engine.js'
import { type After, type Statuses } from './statuses.js'

export interface GitRemotesOptions {
  choice: EngineChoice
  access: TreeAccess
  statuses: Statuses
}

/** `message` is one line for the person. */
export type RemoteAnswer = { message: string } & After

/** Operations that talk to remotes: one at a time for each work tree. Changes of the tree may run at the same time. */
export function createGitRemotes ({ choice, access, statuses }: GitRemotesOptions) {
  async function talk (root: string, work: (engine: GitEngine) => Promise<string>): Promise<RemoteAnswer> {
    return await access.withRemotes(root, async () => ({ message: await choice.use(work), ...await statuses.after(root) }))
  }

  return {
    /** Fetches. Every session may do so, because it does not change the work tree. Throws NotFound. */
    async fetch (sessionId: string): Promise<RemoteAnswer> {
      const { root } = await access.reading(sessionId)
      return await talk(root, (engine) => engine.fetch(root))
    },

    /** Pulls. The fast-forward changes the work tree, so it waits for other changes. Throws what refuseChanges throws. */
    async pull (sessionId: string): Promise<RemoteAnswer> {
      const { root } = await access.changing(sessionId)
      return await talk(root, async (engine) => {
        access.refuseChanges(sessionId)
        return await engine.pull(root, (forward) => access.inTree(sessionId, root, forward))
      })
    },

    /** Pushes. Throws what refuseChanges throws. */
    async push (sessionId: string): Promise<RemoteAnswer> {
      const { root } = await access.changing(sessionId)
      return await talk(root, async (engine) => {
        access.refuseChanges(sessionId)
        return await engine.push(root)
      })
    }
  }
}
