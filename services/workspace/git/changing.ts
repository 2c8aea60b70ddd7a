import { Forbidden, Invalid } from '../../ground/errors.js'
import { refuseClosed, type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import { type Branches, type CheckedOut, type CheckoutTarget, type GitEngine, type StashedCheckout } from './engine.js'
import { type Territory } from '../place/place.js'
import { type After, type Statuses } from './statuses.js'

export interface GitChangesOptions {
  choice: EngineChoice
  access: TreeAccess
  statuses: Statuses
}

/** The state after another branch was checked out. `branches` is null if they could not be read. */
export type Moved = After & { branches: Branches | null }

/** Operations that change a work tree or its index, one at a time. All throw what refuseChanges throws. */
export function createGitChanges ({ choice, access, statuses }: GitChangesOptions) {
  /** Changes the work tree of a session. Throws what refuseClosed throws for `paths`. */
  async function change<T> (
    sessionId: string, paths: string[], work: (engine: GitEngine, territory: Territory) => Promise<T>
  ): Promise<T & After> {
    const territory = await access.changing(sessionId)
    const { root } = territory
    refuseClosed(territory, paths)
    return await access.inTree(sessionId, root, async () =>
      ({ ...await choice.use((engine) => work(engine, territory)), ...await statuses.after(root) }))
  }

  async function move<T extends CheckedOut> (
    sessionId: string, work: (engine: GitEngine, territory: Territory) => Promise<T>
  ): Promise<T & Moved> {
    return await change(sessionId, [], async (engine, territory) => ({
      ...await work(engine, territory), branches: await engine.branches(territory.root).catch(() => null)
    }))
  }

  return {
    stage: (sessionId: string, paths: string[]): Promise<After> =>
      change(sessionId, paths, (engine, { root }) => engine.stage(root, paths)),

    unstage: (sessionId: string, paths: string[]): Promise<After> =>
      change(sessionId, [], (engine, { root }) => engine.unstage(root, paths)),

    discard: (sessionId: string, paths: string[], options: { deleteUntracked: boolean }): Promise<After> =>
      change(sessionId, paths, (engine, { root }) => engine.discard(root, paths, options)),

    async commit (sessionId: string, message: string): Promise<{ commit: string } & After> {
      refuseBlank(message)
      return await change(sessionId, [], async (engine, { root }) => ({ commit: await engine.commit(root, message) }))
    },

    async commitSelected (sessionId: string, message: string, paths: string[]): Promise<{ commit: string, paths: string[] } & After> {
      refuseBlank(message)
      return await change(sessionId, paths, (engine, { root }) => engine.commitSelected(root, message, paths))
    },

    checkout: (sessionId: string, target: CheckoutTarget): Promise<CheckedOut & Moved> =>
      move(sessionId, (engine, { root }) => engine.checkout(root, target)),

    stashCheckout: (sessionId: string, target: CheckoutTarget): Promise<StashedCheckout & Moved> =>
      move(sessionId, async (engine, { root, closed }) => {
        // A stash takes untracked files out of the folder.
        if (closed.length > 0) throw new Forbidden('This folder contains files of the service, so nothing can be stashed')
        return await engine.stashCheckout(root, target)
      })
  }
}

function refuseBlank (message: string): void {
  if (message.trim() === '') throw new Invalid('The commit needs a message')
}
