import { hash } from 'node:crypto'
import { createQueue } from '../../ground/concurrency/queue.js'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { Conflict, DomainError, Invalid, NotFound } from '../../ground/errors.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { isOneOf } from '../../ground/one-of.js'
import { type BranchToDescribe, type Git } from '../../workspace/git/index.js'
import { type AuditPort } from '../audit/index.js'
import { type ForgeAddress } from './address.js'
import { type ForgeClient } from './client.js'
import {
  forgeNames, mergeMethods, type Check, type Forge, type ForgeRepository, type LogTail, type NewPull, type Pull,
  type PullSummary, type Thread
} from './forge.js'
import { createGitea } from './forges/gitea.js'
import { createGitHub } from './forges/github.js'
import { createGitLab } from './forges/gitlab.js'
import { requestToMend, shown, summaryOf, titleAndBody } from './texts.js'
import { type ForgeTokens } from './tokens.js'
import { followedOf, whereaboutsOf, type Whereabouts } from './whereabouts.js'

/** Why a session has no pull requests. */
type NoPulls = 'no_repo' | 'no_remote' | 'no_forge' | 'no_token'

/** The branch that is checked out. */
interface OwnBranch {
  name: string
  sha: string | null
  /** The forge has a branch for it. */
  isPushed: boolean
  ahead: number
  behind: number
}

/** Where the pull requests of a session are. */
interface Place extends Omit<Whereabouts, 'host'> { session: string, forge: Forge, address: ForgeAddress, branch: OwnBranch | null }
type Nowhere = { reason: NoPulls, address: ForgeAddress | null, host: string | null, branch: OwnBranch | null }

export interface PullLook {
  reason: NoPulls | null
  host: string | null
  address: ForgeAddress | null
  path: string | null
  repository: ForgeRepository | null
  branch: OwnBranch | null
  pull: Pull | null
  checks: Check[]
  threads: Thread[]
  /** What could not be read, as sentences: a token may see pull requests, and no checks. */
  problems: string[]
  /** When to look again: soon while checks run, and ever more seldom while nothing changes. */
  nextLookS: number
}

/** What a model is told about a branch. */
export type PullMaterial = Pick<BranchToDescribe, 'commits' | 'diff' | 'truncated'> & { base: string, files: string[] }

export interface PullDraft { title: string, body: string, base: string, source: 'model' | 'summary' }

export interface PullsOptions {
  git: Pick<Git, 'status' | 'remotes' | 'branchToDescribe' | 'refuseReadOnly'>
  client: ForgeClient
  tokens: ForgeTokens
  /** Whose tokens are used in a session. Throws NotFound. */
  profileOf: (sessionId: string) => string
  /** Has a model write a title, a blank line and a text; null: there is none. Throws Conflict when a budget is used up. */
  write: (sessionId: string, material: PullMaterial) => Promise<string | null>
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
}

/** So long an answer serves everybody who asks. */
const freshMs = 3_000
const mostLooks = 200
const lookAgain = { pendingS: 10, longestPendingS: 60, idleS: 30, longestIdleS: 300, closedS: 300 }
const mostMended = 5
const mostAnswered = 20

const makers = { github: createGitHub, gitlab: createGitLab, gitea: createGitea }

interface Looked { atMs: number, answer: Promise<PullLook>, print: string, unchanged: number }

/**
 * Pull requests of the repositories that sessions work in. Nothing of them is stored: the forge has them, is asked while somebody looks,
 * and has the last word on what is merged. What is done here, is done one after the other for each pull request.
 *
 * Everything throws NotFound for a session that is not there, and what git and {@link ForgeClient} throw.
 */
export function createPulls ({ git, client, tokens, profileOf, write, clock, audit }: PullsOptions) {
  const inTurn = createQueue()
  const looks = new Map<string, Looked>()

  async function placing (sessionId: string): Promise<Place | Nowhere> {
    const profile = profileOf(sessionId)
    const standing = await git.status(sessionId)
    if (standing === null) return nowhere('no_repo')
    const { branch: name, head: sha, upstream, ahead, behind } = standing.status
    const remotes = await git.remotes(sessionId)
    const isPushed = followedOf(remotes, upstream) !== undefined
    const branch = name === null ? null : { name, sha, isPushed, ahead, behind }
    const where = whereaboutsOf(remotes, { branch: name, upstream })
    if (typeof where === 'string') return nowhere(where, { branch })
    const { host, repository, baseRemote, head } = where
    const address = tokens.addressOf(profile, host)
    if (address === null) return nowhere('no_forge', { host, branch })
    const found = await tokens.tokenOf(profile, address)
    if (found === null) return nowhere('no_token', { host, address, branch })
    const seat = { name: forgeNames[address.kind], api: address.api, token: found.token, authorization: {} }
    return { session: sessionId, forge: makers[address.kind](client, seat, repository), address, repository, baseRemote, branch, head }
  }

  /** Throws Invalid (`no_forge`, `no_forge_token`) where there are no pull requests. */
  async function placed (sessionId: string): Promise<Place> {
    const place = await placing(sessionId)
    if (!('reason' in place)) return place
    throw place.reason === 'no_token'
      ? new Invalid(`The service has no token for ${place.host ?? 'the forge'}. Set one first`, 'no_forge_token')
      : new Invalid('The repository has no remote on a forge that is known here', 'no_forge')
  }

  /** What changes something beyond the folder. Throws Forbidden (`destructive_git_disabled`) as well. */
  async function acting (sessionId: string): Promise<Place> {
    git.refuseReadOnly(sessionId)
    return await placed(sessionId)
  }

  const keyOf = ({ address, repository }: Place, of: string | number): string => `${address.api} ${repository} ${of}`

  /** Runs `work` as the only deed for a pull request; what was seen of it before counts no more. */
  async function alone<T> (place: Place, of: string | number, work: () => Promise<T>): Promise<T> {
    try {
      return await inTurn(keyOf(place, of), work)
    } finally {
      looks.clear()
    }
  }

  async function read (place: Place, number: number | null): Promise<Omit<PullLook, 'nextLookS'>> {
    const { forge, address, repository: path, branch, head } = place
    const [repository, found] = await Promise.all([
      forge.repository(), number !== null || head === null ? null : forge.find(head)
    ])
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

  /** Throws NotFound for what is not there any more. */
  async function failedLogs (forge: Forge, pull: Pull, ids: readonly string[]): Promise<Array<{ check: Check, log: LogTail }>> {
    const checks = ids.length === 0 ? [] : await forge.checks(pull)
    return await Promise.all(ids.slice(0, mostMended).map(async (id) => {
      const check = checks.find((each) => each.id === id)
      if (check === undefined) throw new NotFound('This check is not there any more. Look again')
      return { check, log: check.hasLog ? await forge.log(pull, id) : { text: check.summary, isCut: false } }
    }))
  }

  async function threadOf (forge: Forge, number: number, id: string): Promise<Thread> {
    const thread = (await forge.threads(number)).find((each) => each.id === id)
    if (thread === undefined) throw new NotFound('This comment is not there any more. Look again')
    return thread
  }

  /** Throws Conflict (`pull_closed`, `pull_changed`). */
  async function asSeen (forge: Forge, number: number, sha: string): Promise<Pull> {
    const pull = await forge.get(number)
    if (pull.state !== 'open') throw new Conflict(`This pull request is ${pull.state} already`, 'pull_closed')
    if (pull.sha !== sha) throw new Conflict('This pull request has other commits now than those that you saw. Look at them first', 'pull_changed')
    return pull
  }

  function record (kind: 'pull.commented' | 'pull.ready' | 'pull.closed', { session, address, repository }: Place, number: number): void {
    audit.soonest(kind, { session, host: address.host, repository, number })
  }

  return {
    /** The state of the branch and of its pull request, or of the one with this number. Whoever asks at the same time is told the same. */
    async look (sessionId: string, number: number | null): Promise<PullLook> {
      const place = await placing(sessionId)
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

    async list (sessionId: string): Promise<PullSummary[]> {
      return await (await placed(sessionId)).forge.list()
    },

    /** The end of the log of a check. Throws NotFound. */
    async log (sessionId: string, number: number, checkId: string): Promise<LogTail> {
      const { forge } = await placed(sessionId)
      const [found] = await failedLogs(forge, await forge.get(number), [checkId])
      return found?.log ?? { text: '', isCut: false }
    },

    /** A title and a text for a pull request of the branch. Throws Invalid without a branch, and Conflict when a budget is used up. */
    async draft (sessionId: string, wantedBase: string | null): Promise<PullDraft> {
      const { forge, baseRemote, branch } = await placed(sessionId)
      if (branch === null) throw noBranch()
      const base = wantedBase ?? (await forge.repository()).defaultBranch
      const { files, ...changes } = await git.branchToDescribe(sessionId, { remote: baseRemote, branch: base })
      const material = { ...changes, files: files.map(({ path }) => path), base }
      const written = changes.commits.length === 0 ? null : await write(sessionId, material)
      const { title, body } = written === null ? summaryOf(branch.name, changes.commits) : titleAndBody(written)
      return { title: shown(title), body: shown(body), base, source: written === null ? 'summary' : 'model' }
    },

    /** Opens one for the branch, which has to be pushed. Throws Invalid (`no_upstream`) and Conflict (`exists`). */
    async open (sessionId: string, asked: Omit<NewPull, 'head'>): Promise<{ number: number, notes: string[] }> {
      const place = await acting(sessionId)
      const { forge, branch, head, address, repository } = place
      if (branch === null || head === null) throw noBranch()
      if (!branch.isPushed) throw new Invalid(`The branch ${branch.name} is not on the forge yet. Push it first`, 'no_upstream')
      if (head.branch === asked.base && head.repository === repository) throw new Invalid('base: this is the branch itself. Choose another, or switch to a branch of its own')
      return await alone(place, head.branch, async () => {
        const former = await forge.find(head)
        if (former?.state === 'open') throw new Conflict(`The branch has the pull request #${former.number} already`, 'exists')
        const opened = await forge.open({ ...asked, head })
        audit.soonest('pull.opened', { session: sessionId, host: address.host, repository, number: opened.number })
        return opened
      })
    },

    /** Answers a thread, or with null comments on the whole. Throws NotFound and Invalid. */
    async comment (sessionId: string, number: number, threadId: string | null, body: string): Promise<void> {
      const place = await acting(sessionId)
      await alone(place, number, async () => {
        if (threadId === null) await place.forge.comment(number, body)
        else {
          const thread = await threadOf(place.forge, number, threadId)
          if (!thread.canReply) throw new Invalid('This comment cannot be answered in place. Comment on the pull request instead')
          await place.forge.reply(number, thread, body)
        }
        record('pull.commented', place, number)
      })
    },

    /** Throws NotFound and Invalid. */
    async resolve (sessionId: string, number: number, threadId: string, isResolved: boolean): Promise<void> {
      const place = await acting(sessionId)
      await alone(place, number, async () => {
        const thread = await threadOf(place.forge, number, threadId)
        if (thread.isResolved === null) throw new Invalid('This comment is no question that could be resolved')
        if (thread.isResolved === isResolved) return
        await place.forge.resolve(number, thread, isResolved)
        audit.soonest('pull.resolved', { session: sessionId, host: place.address.host, repository: place.repository, number, resolved: isResolved })
      })
    },

    /** Makes a draft ready for review. */
    async ready (sessionId: string, number: number): Promise<void> {
      const place = await acting(sessionId)
      await alone(place, number, async () => {
        const pull = await place.forge.get(number)
        if (!pull.isDraft) return
        await place.forge.ready(pull)
        record('pull.ready', place, number)
      })
    },

    /** Merges what the person has seen. Throws Invalid for a method that the repository does not allow, and what `asSeen` throws. */
    async merge (sessionId: string, number: number, sha: string, method: string): Promise<void> {
      const place = await acting(sessionId)
      const { forge, address, repository } = place
      await alone(place, number, async () => {
        const [pull, { methods }] = await Promise.all([asSeen(forge, number, sha), forge.repository()])
        if (!isOneOf(mergeMethods, method) || !methods.includes(method)) {
          throw new Invalid(`method: this repository allows ${methods.join(', ') || 'no merge'}`)
        }
        await forge.merge(pull, method)
        audit.soonest('pull.merged', { session: sessionId, host: address.host, repository, number, sha, method })
      })
    },

    /** Closes it without merging. Throws Conflict (`pull_closed`). */
    async close (sessionId: string, number: number): Promise<void> {
      const place = await acting(sessionId)
      await alone(place, number, async () => {
        const { state } = await place.forge.get(number)
        if (state !== 'open') throw new Conflict(`This pull request is ${state} already`, 'pull_closed')
        await place.forge.close(number)
        record('pull.closed', place, number)
      })
    },

    /** The message of a turn that mends checks, or what comments ask for. Throws NotFound for what is not there any more, and Invalid. */
    async requestToMend (
      sessionId: string, number: number,
      { checks, threads, asked }: { checks: readonly string[], threads: readonly string[], asked: string }
    ): Promise<string> {
      if (checks.length + threads.length === 0) throw new Invalid('Name the checks or the comments that are to be mended')
      const { forge } = await placed(sessionId)
      const pull = await forge.get(number)
      const [failed, all] = await Promise.all([failedLogs(forge, pull, checks), threads.length === 0 ? [] : forge.threads(number)])
      const chosen = threads.slice(0, mostAnswered).map((id) => {
        const thread = all.find((each) => each.id === id)
        if (thread === undefined) throw new NotFound('This comment is not there any more. Look again')
        return thread
      })
      return requestToMend(pull, { asked, failed, threads: chosen })
    },

    forges: tokens.list,
    async setForge (...asked: Parameters<ForgeTokens['set']>): ReturnType<ForgeTokens['set']> {
      looks.clear()
      return await tokens.set(...asked)
    },
    /** Deeds under way and waiting, and answers that are kept. */
    size: () => ({ deeds: inTurn.size(), looks: looks.size })
  }
}

export type Pulls = ReturnType<typeof createPulls>

const nowhere = (reason: NoPulls, more: Partial<Nowhere> = {}): Nowhere => ({ reason, address: null, host: null, branch: null, ...more })

const noBranch = (): Invalid => new Invalid('No branch is checked out. Switch to one first', 'git_failed')

/** A pull request that is over, of a branch that has gone on since. */
const isPast = ({ state, sha }: PullSummary, branch: OwnBranch | null): boolean => state !== 'open' && branch?.sha !== sha

function pauseS ({ pull, checks }: Omit<PullLook, 'nextLookS'>, unchanged: number): number {
  if (pull !== null && pull.state !== 'open') return lookAgain.closedS
  const [first, longest] = checks.some(({ state }) => state === 'pending') || pull?.isMergeable === null
    ? [lookAgain.pendingS, lookAgain.longestPendingS]
    : [lookAgain.idleS, lookAgain.longestIdleS]
  return Math.min(longest, first * 2 ** Math.min(unchanged, 10))
}
