import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Git } from '../../workspace/git/index.js'
import { type Chat } from '../chat/index.js'
import { canonicalHost } from './address.js'
import { type Forge } from './forge.js'
import { type Place, type Places } from './places.js'

export interface NoticingOptions {
  db: Database
  turns: Chat['turns']
  places: Pick<Places, 'find'>
  git: Pick<Git, 'branches'>
  follow: (place: Place, number: number) => void
  log: Log
}

const mostNamed = 20
/** Stops at characters that end a string in a result, which is stored as JSON, or begin an escape. */
const addresses = /https?:\/\/[^\s"'`<>()[\]\\]{4,500}/gi
const path = /^\/(.+?)\/(?:-\/)?(?:pull|pulls|merge_requests)\/([1-9]\d{0,8})\/?$/

/** Returns the numbers of a repository's pull requests whose addresses are in a text, in their order. Pure. */
export function pullsNamedIn (text: string, { host, repository }: { host: string, repository: string }): number[] {
  const numbers = new Set<number>()
  for (const [address] of text.matchAll(addresses)) {
    // Punctuation at the end belongs to the sentence.
    const plain = address.replace(/[.,;:!?]+$/, '')
    if (!URL.canParse(plain)) continue
    const { host: named, pathname } = new URL(plain)
    const [, of, number] = path.exec(pathname) ?? []
    if (canonicalHost(named) === host && of?.toLowerCase() === repository.toLowerCase()) numbers.add(Number(number))
    if (numbers.size === mostNamed) break
  }
  return [...numbers]
}

/** How many named pull requests are checked if none is that of the branch. */
const mostAsked = 5
/** The clock of a forge may be behind. */
const skewS = 120

/**
 * Follows pull requests that the agent has opened itself, as with `gh pr create`: the result of one of its calls contains the address.
 * Results may quote anything, so the forge is asked, with the profile's token. Only an open pull request in the repository of the session's
 * own remote is followed. It must be that of the session's branch; or, because the agent may have left that branch since, it must have been
 * opened during the turn and end with a commit with which a branch here ends.
 */
export function createNoticing ({ db, turns, places, git, follow, log }: NoticingOptions) {
  const begun = db.sqlite.prepare<[string], number>('select started_at from streams where id = ?').pluck()
  const results = db.sqlite.prepare<[string, string], string>(
    `select body from messages where session_id = ? and stream_id = ? and role = 'tool'
       and (instr(body, '/pull') > 0 or instr(body, '/merge_requests/') > 0)`).pluck()
  const running = new Set<Promise<void>>()
  let isStopped = false

  async function notice (sessionId: string, streamId: string): Promise<void> {
    const texts = isStopped ? [] : results.all(sessionId, streamId)
    if (texts.length === 0) return
    const place = await places.find(sessionId)
    if ('reason' in place) return
    const { forge, head, address: { host }, repository } = place
    const named = [...new Set(texts.flatMap((text) => pullsNamedIn(text, { host, repository })))]
    if (named.length === 0) return
    const own = head === null ? null : await forge.find(head)
    if (own?.state === 'open' && named.includes(own.number)) {
      if (!isStopped) follow(place, own.number)
      return
    }
    // The last one named was probably opened last.
    for (const number of named.slice(-mostAsked).reverse()) {
      if (await isOpenedIn(sessionId, forge, number, (begun.get(streamId) ?? Infinity) - skewS) && !isStopped) follow(place, number)
    }
  }

  /** Whether a pull request was opened after `sinceS`, from a branch whose last commit is also that of a branch here. */
  async function isOpenedIn (sessionId: string, forge: Forge, number: number, sinceS: number): Promise<boolean> {
    if (isStopped) return false
    const pull = await forge.get(number).catch((error: unknown) => {
      if (error instanceof NotFound) return null
      throw error
    })
    if (pull === null || pull.state !== 'open' || pull.createdAtS < sinceS || pull.sha === '') return false
    const { local, remote } = await git.branches(sessionId)
    return [...local, ...remote].some(({ sha }) => sha !== '' && pull.sha.startsWith(sha))
  }

  turns.on('ended', ({ sessionId, streamId }) => {
    // Waits until the rows of the turn are stored.
    db.enqueue({
      write: () => {},
      committed: () => {
        const work = notice(sessionId, streamId).catch((error: unknown) => {
          if (!isStopped) log('pull requests that a turn has opened could not be looked for', { session: sessionId, reason: String(error) })
        }).finally(() => running.delete(work))
        running.add(work)
      }
    })
  })

  return {
    /** The number of turns that are being checked. */
    size: (): number => running.size,
    stop: async (): Promise<void> => {
      isStopped = true
      await Promise.all(running)
    }
  }
}
