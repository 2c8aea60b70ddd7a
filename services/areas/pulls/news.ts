import { Conflict, NotFound } from '../../ground/errors.js'
import { type Check, type Forge, type PullSummary } from './forge.js'

/** Events of a pull request that its author wants to know about. */
export type PullEvent = 'checks_failed' | 'checks_passed' | 'approved' | 'commented' | 'merged' | 'closed'

/** The state of a pull request when it was last read. */
export interface PullSnapshot {
  state: PullSummary['state']
  sha: string
  checks: 'none' | 'pending' | 'passed' | 'failed'
  /** Names of the approvers. */
  approvals: string[]
  /** The number of comments by others than its author, and when the latest was written, in epoch seconds. */
  comments: number
  commentedAtS: number
  /** When the forge says that it was changed; results of checks do not count. */
  updatedAtS: number
  /** Whether it was read again after that time: the time has only seconds, so a change may follow a read within the same one. */
  isSettled: boolean
}

/** The state of a new pull request. */
export const unseen: PullSnapshot = {
  state: 'open', sha: '', checks: 'none', approvals: [], comments: 0, commentedAtS: 0, updatedAtS: 0, isSettled: false
}

/**
 * Reads a pull request again, and its comments only if it says that it was changed. What the token has no access to keeps its earlier
 * value. Throws the errors of the forge.
 */
export async function seenNow (forge: Forge, number: number, before: PullSnapshot): Promise<PullSnapshot> {
  const { state, sha, author, updatedAtS, ...pull } = await forge.get(number)
  if (state !== 'open') return { ...before, state }
  const checks = await orBefore(forge.checks({ ...pull, state, sha, author, updatedAtS }).then(summaryOf), before.checks)
  const isSame = before.updatedAtS === updatedAtS
  if (isSame && before.isSettled) return { ...before, sha, checks }
  const [comments, approvals] = await Promise.all([
    orBefore(forge.threads(number).then((threads) => threads.flatMap(({ comments }) => comments)), null),
    orBefore(forge.approvals(number), before.approvals)
  ])
  const others = comments?.filter((comment) => comment.author !== author)
  return {
    state, sha, checks, approvals, updatedAtS, isSettled: isSame,
    comments: others?.length ?? before.comments,
    commentedAtS: others?.reduce((latest, { atS }) => Math.max(latest, atS), 0) ?? before.commentedAtS
  }
}

/** Returns what has happened between two states. */
export function eventsBetween (before: PullSnapshot, now: PullSnapshot): PullEvent[] {
  if (now.state !== 'open') return now.state === before.state ? [] : [now.state]
  const isOtherOutcome = now.checks !== before.checks || now.sha !== before.sha
  return [
    ...(isOtherOutcome && now.checks === 'failed' ? ['checks_failed'] as const : []),
    ...(isOtherOutcome && now.checks === 'passed' ? ['checks_passed'] as const : []),
    ...(now.approvals.some((name) => !before.approvals.includes(name)) ? ['approved'] as const : []),
    ...(now.comments > before.comments || now.commentedAtS > before.commentedAtS ? ['commented'] as const : [])
  ]
}

function summaryOf (checks: readonly Check[]): PullSnapshot['checks'] {
  const has = (wanted: Check['state']): boolean => checks.some(({ state }) => state === wanted)
  return has('failed') ? 'failed' : has('pending') ? 'pending' : has('passed') ? 'passed' : 'none'
}

async function orBefore<T, Before> (what: Promise<T>, before: Before): Promise<T | Before> {
  return await what.catch((error: unknown) => {
    if (error instanceof Conflict || error instanceof NotFound) return before
    throw error
  })
}
