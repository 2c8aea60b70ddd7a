import { type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import { type After, type Standings } from './standing.js'

export interface GitTalkingOptions {
  choice: EngineChoice
  access: TreeAccess
  standings: Standings
}

/** `message` is a line for the person who asked. */
export type Talked = { message: string } & After

/** What talks to remotes: one command at a time for each work tree, beside what changes the tree. */
export function createGitTalking ({ choice, access, standings }: GitTalkingOptions) {
  async function talked (folder: string, work: () => Promise<string>): Promise<Talked> {
    return await access.withRemotes(folder, async () => ({ message: await work(), ...await standings.after(folder) }))
  }

  return {
    /** Not a change of the work tree, so it is open to every session. Throws NotFound. */
    async fetch (sessionId: string): Promise<Talked> {
      const { root } = await access.reading(sessionId)
      return await talked(root, async () => await choice.use(async (engine) => await engine.fetch(root)))
    },

    /** Throws what refuseChanges throws. Moving forward is a change of the work tree and waits for the others. */
    async pull (sessionId: string): Promise<Talked> {
      const { root } = await access.changing(sessionId)
      return await talked(root, async () => {
        access.refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.pull(root, async (forward) => await access.inTree(sessionId, root, forward)))
      })
    },

    /** Throws what refuseChanges throws. */
    async push (sessionId: string): Promise<Talked> {
      const { root } = await access.changing(sessionId)
      return await talked(root, async () => {
        access.refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.push(root))
      })
    }
  }
}
