import { Forbidden, Invalid } from '../../ground/errors.js'
import { refuseClosed, type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import { type Branches, type CheckedOut, type CheckoutTarget, type StashedCheckout } from './engine.js'
import { type After, type Standings } from './standing.js'

export interface GitChangesOptions {
  choice: EngineChoice
  access: TreeAccess
  standings: Standings
}

/** The state after another branch was checked out. `branches` is null if they could not be read. */
export type Moved = After & { branches: Branches | null }

const nonBlank = /\S/

/** Operations that change a work tree or its index, one at a time. All throw what refuseChanges throws. */
export function createGitChanges ({ choice, access, standings }: GitChangesOptions) {
  async function alone<T extends object> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T & After> {
    return await access.inTree(sessionId, folder, async () => ({ ...await work(), ...await standings.after(folder) }))
  }

  async function moved<T extends CheckedOut> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T & Moved> {
    return await alone(sessionId, folder, async () => ({
      ...await work(),
      branches: await choice.use(async (engine) => await engine.branches(folder)).catch(() => null)
    }))
  }

  return {
    async stage (sessionId: string, paths: string[]): Promise<After> {
      const territory = await access.changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () => {
        await choice.use(async (engine) => await engine.stage(territory.root, paths))
        return {}
      })
    },

    async unstage (sessionId: string, paths: string[]): Promise<After> {
      const { root } = await access.changing(sessionId)
      return await alone(sessionId, root, async () => {
        await choice.use(async (engine) => await engine.unstage(root, paths))
        return {}
      })
    },

    async discard (sessionId: string, paths: string[], options: { deleteUntracked: boolean }): Promise<After> {
      const territory = await access.changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () => {
        await choice.use(async (engine) => await engine.discard(territory.root, paths, options))
        return {}
      })
    },

    async commit (sessionId: string, message: string): Promise<{ commit: string } & After> {
      refuseBlank(message)
      const { root } = await access.changing(sessionId)
      return await alone(sessionId, root, async () => ({ commit: await choice.use(async (engine) => await engine.commit(root, message)) }))
    },

    async commitSelected (sessionId: string, message: string, paths: string[]): Promise<{ commit: string, paths: string[] } & After> {
      refuseBlank(message)
      const territory = await access.changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () =>
        await choice.use(async (engine) => await engine.commitSelected(territory.root, message, paths)))
    },

    async checkout (sessionId: string, target: CheckoutTarget): Promise<CheckedOut & Moved> {
      const { root } = await access.changing(sessionId)
      return await moved(sessionId, root, async () => await choice.use(async (engine) => await engine.checkout(root, target)))
    },

    async stashCheckout (sessionId: string, target: CheckoutTarget): Promise<StashedCheckout & Moved> {
      const territory = await access.changing(sessionId)
      // A stash takes untracked files out of the folder.
      if (territory.closed.length > 0) throw new Forbidden('This folder contains files of the service, so nothing can be stashed')
      return await moved(sessionId, territory.root, async () =>
        await choice.use(async (engine) => await engine.stashCheckout(territory.root, target)))
    }
  }
}

function refuseBlank (message: string): void {
  if (!nonBlank.test(message)) throw new Invalid('The commit needs a message')
}
