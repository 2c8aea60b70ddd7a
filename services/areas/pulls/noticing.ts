import { type Database } from '../../ground/database/index.js'
import { type Chat } from '../chat/index.js'
import { canonicalHost } from './address.js'
import { type Place, type Places } from './places.js'

export interface NoticingOptions {
  db: Database
  turns: Chat['turns']
  places: Pick<Places, 'find'>
  follow: (place: Place, number: number) => void
  log: (message: string, details: Record<string, unknown>) => void
}

const mostNamed = 20
/** Ends where a result, which is kept as JSON, could have a quote or an escape. */
const addresses = /https?:\/\/[^\s"'`<>()[\]\\]{4,500}/gi
const path = /^\/(.+?)\/(?:-\/)?(?:pull|pulls|merge_requests)\/([1-9]\d{0,8})\/?$/

/** Returns the numbers of a repository's pull requests whose addresses are in a text, in their order. Pure. */
export function pullsNamedIn (text: string, { host, repository }: { host: string, repository: string }): number[] {
  const numbers = new Set<number>()
  for (const [address] of text.matchAll(addresses)) {
    // What ends a sentence is no part of an address.
    const plain = address.replace(/[.,;:!?]+$/, '')
    if (!URL.canParse(plain)) continue
    const { host: named, pathname } = new URL(plain)
    const [, of, number] = path.exec(pathname) ?? []
    if (canonicalHost(named) === host && of?.toLowerCase() === repository.toLowerCase()) numbers.add(Number(number))
    if (numbers.size === mostNamed) break
  }
  return [...numbers]
}

/**
 * Follows pull requests that the agent has opened by itself, as with `gh pr create`: a result of one of its calls has named the address.
 * Results may quote anything, so the forge is asked, with the profile's token: only the open pull request of the session's own branch, in
 * the repository of its own remote, is followed.
 */
export function createNoticing ({ db, turns, places, follow, log }: NoticingOptions) {
  const results = db.sqlite.prepare<[string, string], string>(
    `select body from messages where session_id = ? and stream_id = ? and role = 'tool'
       and (instr(body, '/pull') > 0 or instr(body, '/merge_requests/') > 0)`).pluck()
  const running = new Set<Promise<void>>()
  let isStopped = false

  async function notice (sessionId: string, streamId: string): Promise<void> {
    const texts = isStopped ? [] : results.all(sessionId, streamId)
    if (texts.length === 0) return
    const place = await places.find(sessionId)
    if ('reason' in place || place.head === null) return
    const { forge, head, address: { host }, repository } = place
    const named = texts.flatMap((text) => pullsNamedIn(text, { host, repository }))
    if (named.length === 0) return
    const pull = await forge.find(head)
    if (pull?.state === 'open' && named.includes(pull.number) && !isStopped) follow(place, pull.number)
  }

  turns.on('ended', ({ sessionId, streamId }) => {
    // Its rows are on their way to the database.
    db.enqueue({
      write: () => {},
      committed: () => {
        const work = notice(sessionId, streamId).catch((error: unknown) => {
          if (!isStopped) log('it could not be seen whether a turn has opened a pull request', { session: sessionId, reason: String(error) })
        }).finally(() => running.delete(work))
        running.add(work)
      }
    })
  })

  return {
    stop: async (): Promise<void> => {
      isStopped = true
      await Promise.all(running)
    }
  }
}
