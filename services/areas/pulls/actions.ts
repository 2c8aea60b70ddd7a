import { createQueue } from '../../ground/concurrency/queue.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { isOneOf } from '../../ground/one-of.js'
import { type AuditPort } from '../audit/index.js'
import { foundIn, mergeMethods, type Forge, type NewPull, type Pull, type Thread } from './forge.js'
import { keyOf, noBranch, type Place, type Places } from './places.js'

export interface PullActionsOptions {
  places: Pick<Places, 'getToChange'>
  audit: Pick<AuditPort, 'soonest'>
  /** Called after each action, even a failed one: earlier results are outdated. */
  done: () => void
  /** Called when a pull request was opened, and when one was merged or closed. */
  opened: (place: Place, number: number) => void
  ended: (place: Place, number: number) => void
}

/** The audited facts of every action. */
interface About { session: string, host: string, repository: string, number: number }

/**
 * Changes pull requests, one action after another for each. The forge decides what may be merged.
 *
 * Every action throws Invalid and Forbidden as `places.getToChange` does, and the errors of the forge.
 */
export function createPullActions ({ places, audit, done, opened, ended }: PullActionsOptions) {
  const inTurn = createQueue()

  async function alone<T> (place: Place, of: string | number, work: () => Promise<T>): Promise<T> {
    try {
      return await inTurn(keyOf(place, of), work)
    } finally {
      done()
    }
  }

  async function change (
    sessionId: string, number: number, work: (forge: Forge, about: About, place: Place) => Promise<void>
  ): Promise<void> {
    const place = await places.getToChange(sessionId)
    const { forge, address: { host }, repository } = place
    await alone(place, number, async () => await work(forge, { session: sessionId, host, repository, number }, place))
  }

  return {
    /** Opens one for the branch, which must have been pushed. Throws Invalid (`no_upstream`) and Conflict (`exists`). */
    async open (sessionId: string, asked: Omit<NewPull, 'head'>): Promise<{ number: number, notes: string[] }> {
      const place = await places.getToChange(sessionId)
      const { forge, branch, head, address: { host }, repository } = place
      if (branch === null || head === null) throw noBranch()
      if (!branch.isPushed) throw new Invalid(`The branch ${branch.name} is not on the forge yet. Push it first`, 'no_upstream')
      if (head.branch === asked.base && head.repository === repository) {
        throw new Invalid('base: this is the branch itself. Choose another, or switch to a branch of its own')
      }
      return await alone(place, head.branch, async () => {
        const former = await forge.find(head)
        if (former?.state === 'open') throw new Conflict(`The branch already has the pull request #${former.number}`, 'exists')
        const pull = await forge.open({ ...asked, head })
        audit.soonest('pull.opened', { session: sessionId, host, repository, number: pull.number })
        opened(place, pull.number)
        return pull
      })
    },

    /** Replies to a thread, or comments on the pull request as a whole if `threadId` is null. Throws NotFound and Invalid. */
    comment: async (sessionId: string, number: number, threadId: string | null, body: string): Promise<void> =>
      await change(sessionId, number, async (forge, about) => {
        if (threadId === null) await forge.comment(number, body)
        else {
          const thread = await threadOf(forge, number, threadId)
          if (!thread.canReply) throw new Invalid('This comment cannot be answered in place. Comment on the pull request instead')
          await forge.reply(number, thread, body)
        }
        audit.soonest('pull.commented', about)
      }),

    /** Throws NotFound and Invalid. */
    resolve: async (sessionId: string, number: number, threadId: string, isResolved: boolean): Promise<void> =>
      await change(sessionId, number, async (forge, about) => {
        const thread = await threadOf(forge, number, threadId)
        if (thread.isResolved === null) throw new Invalid('This comment cannot be resolved')
        if (thread.isResolved === isResolved) return
        await forge.resolve(number, thread, isResolved)
        audit.soonest('pull.resolved', { ...about, resolved: isResolved })
      }),

    /** Makes a draft ready for review. */
    ready: async (sessionId: string, number: number): Promise<void> => await change(sessionId, number, async (forge, about) => {
      const pull = await forge.get(number)
      if (!pull.isDraft) return
      await forge.ready(pull)
      audit.soonest('pull.ready', about)
    }),

    /**
     * Merges the commit that the person has seen. Throws Invalid for a method that is not allowed, and Conflict (`pull_closed`,
     * `pull_changed`).
     */
    merge: async (sessionId: string, number: number, sha: string, method: string): Promise<void> =>
      await change(sessionId, number, async (forge, about, place) => {
        const [pull, { methods }] = await Promise.all([openOne(forge, number), forge.repository()])
        if (pull.sha !== sha) {
          throw new Conflict('This pull request has new commits that you have not seen. Look at them first', 'pull_changed')
        }
        if (!isOneOf(mergeMethods, method) || !methods.includes(method)) {
          throw new Invalid(`method: this repository allows ${methods.join(', ') || 'no merge'}`)
        }
        await forge.merge(pull, method)
        audit.soonest('pull.merged', { ...about, sha, method })
        ended(place, number)
      }),

    /** Closes it without merging. Throws Conflict (`pull_closed`). */
    close: async (sessionId: string, number: number): Promise<void> => await change(sessionId, number, async (forge, about, place) => {
      await openOne(forge, number)
      await forge.close(number)
      audit.soonest('pull.closed', about)
      ended(place, number)
    }),

    /** The number of running and queued actions. */
    size: (): number => inTurn.size()
  }
}

/** Throws Conflict (`pull_closed`). */
async function openOne (forge: Forge, number: number): Promise<Pull> {
  const pull = await forge.get(number)
  if (pull.state !== 'open') throw new Conflict(`This pull request is already ${pull.state}`, 'pull_closed')
  return pull
}

async function threadOf (forge: Forge, number: number, id: string): Promise<Thread> {
  return foundIn(await forge.threads(number), id, 'comment')
}
