import { type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import { type After, type Standings } from './standing.js'

export interface GitTalkingOptions {
  choice: EngineChoice
  access: TreeAccess
  standings: Standings
}

/** `message` is one line for the person. */
export type Talked = { message: string } & After

/** Operations that talk to remotes: one at a time for each work tree. Changes of the tree may run at the same time. */
export function createGitTalking ({ choice, access, standings }: GitTalkingOptions) {
  async function talked (folder: string, work: () => Promise<string>): Promise<Talked> {
    return await access.withRemotes(folder, async () => ({ message: await work(), ...await standings.after(folder) }))
  }

  return {
    /** Fetches. Every session may do so, because it does not change the work tree. Throws NotFound. */
    async fetch (sessionId: string): Promise<Talked> {
      const { root } = await access.reading(sessionId)
      return await talked(root, async () => await choice.use(async (engine) => await engine.fetch(root)))
    },

    /** Pulls. The fast-forward changes the work tree, so it waits for other changes. Throws what refuseChanges throws. */
    async pull (sessionId: string): Promise<Talked> {
      const { root } = await access.changing(sessionId)
      return await talked(root, async () => {
        access.refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.pull(root, async (forward) => await access.inTree(sessionId, root, forward)))
      })
    },

    /** Pushes. Throws what refuseChanges throws. */
    async push (sessionId: string): Promise<Talked> {
      const { root } = await access.changing(sessionId)
      return await talked(root, async () => {
        access.refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.push(root))
      })
    }
  }
}
