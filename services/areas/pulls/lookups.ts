import { hash } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { DomainError } from '../../ground/errors.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type ForgeAddress } from './address.js'
import { type Check, type ForgeRepository, type Pull, type PullSummary, type Thread } from './forge.js'
import { keyOf, type NoPulls, type OwnBranch, type Place, type Places } from './places.js'

/** The state of a session's branch and of its pull request. */
export interface PullLookup {
  reason: NoPulls | null
  host: string | null
  address: ForgeAddress | null
  path: string | null
  repository: ForgeRepository | null
  branch: OwnBranch | null
  pull: Pull | null
  checks: Check[]
  threads: Thread[]
  /** What could not be read, as sentences: a token may have access to pull requests, but not to checks. */
  problems: string[]
  /** When to ask again, in seconds: soon while checks run, and less and less often while nothing changes. */
  nextLookS: number
}

export interface PullLookupsOptions {
  places: Pick<Places, 'find'>
  profileOf: (sessionId: string) => string
  clock: Clock
}

/** How long an answer is shared by all who ask. */
const freshMs = 3_000
const mostLooks = 200
const lookAgain = { pendingS: 10, longestPendingS: 60, idleS: 30, longestIdleS: 300, closedS: 300 }

interface Looked { atMs: number, answer: Promise<PullLookup>, print: string, unchanged: number }

/** Reads pull requests on request; requests at the same time share an answer. */
export function createPullLookups ({ places, profileOf, clock }: PullLookupsOptions) {
  const looks = new Map<string, Looked>()

  return {
    /** Returns the state of the branch and of its pull request, or of the one with this number. */
    async look (sessionId: string, number: number | null): Promise<PullLookup> {
      const place = await places.find(sessionId)
      if ('reason' in place) {
        return {
          ...place, path: null, repository: null, pull: null, checks: [], threads: [], problems: [], nextLookS: lookAgain.longestIdleS
        }
      }
      const key = `${hash('sha256', profileOf(sessionId))} ${keyOf(place, number ?? JSON.stringify([place.head, place.branch]))}`
      const before = looks.get(key)
      const nowMs = monotonicMs(clock)
      if (before !== undefined && nowMs - before.atMs < freshMs) return await before.answer
      const looked: Looked = {
        atMs: nowMs, print: '', unchanged: 0, answer: read(place, number).then((answer) => {
          looked.print = hash('sha256', JSON.stringify(answer))
          looked.unchanged = looked.print === before?.print ? before.unchanged + 1 : 0
          return { ...answer, nextLookS: pauseS(answer, looked.unchanged) }
        })
      }
      looks.delete(key)
      looks.set(key, looked)
      keepNewest(looks, mostLooks)
      looked.answer.catch(() => { if (looks.get(key) === looked) looks.delete(key) })
      return await looked.answer
    },
    /** Drops all cached answers. */
    forget: (): void => { looks.clear() },
    size: (): number => looks.size
  }
}

async function read (place: Place, number: number | null): Promise<Omit<PullLookup, 'nextLookS'>> {
  const { forge, address, repository: path, branch, head } = place
  const [repository, found] = await Promise.all([forge.repository(), number !== null || head === null ? null : forge.find(head)])
  const wanted = number ?? (found === null || isPast(found, branch) ? null : found.number)
  const pull = wanted === null ? null : await forge.get(wanted)
  const problems: string[] = []
  const orNothing = async <T>(what: Promise<T[]>): Promise<T[]> => await what.catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error
    problems.push(error.message)
    return []
  })
  const [checks, threads] = pull === null
    ? [[], []]
    : await Promise.all([orNothing(forge.checks(pull)), orNothing(forge.threads(pull.number))])
  return {
    reason: null, host: address.host, address, path, repository, branch, pull, checks, threads,
    problems: [...new Set(problems)]
  }
}

/** Whether a pull request is closed or merged, and its branch has newer commits. */
const isPast = ({ state, sha }: PullSummary, branch: OwnBranch | null): boolean => state !== 'open' && branch?.sha !== sha

function pauseS ({ pull, checks }: Omit<PullLookup, 'nextLookS'>, unchanged: number): number {
  if (pull !== null && pull.state !== 'open') return lookAgain.closedS
  const [first, longest] = checks.some(({ state }) => state === 'pending') || pull?.isMergeable === null
    ? [lookAgain.pendingS, lookAgain.longestPendingS]
    : [lookAgain.idleS, lookAgain.longestIdleS]
  return Math.min(longest, first * 2 ** Math.min(unchanged, 10))
}
