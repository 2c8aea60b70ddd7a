import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { DomainError, Invalid, Unavailable } from '../../ground/errors.js'
import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { Outbox } from '../../ground/outbox.js'
import { createFollowedRows, type FollowedPull } from './followed-rows.js'
import { eventsBetween, seenNow, unseen, type PullEvent, type PullSnapshot } from './news.js'
import { type Place, type Places, type PlacesOptions } from './places.js'

/** An event of a pull request, with the session in which it was opened. */
export interface PullNews extends Pick<FollowedPull, 'sessionId' | 'host' | 'repository' | 'number'> { event: PullEvent }

export interface FollowingOptions extends Pick<PlacesOptions, 'profileOf'> {
  db: Database
  clock: Clock
  places: Pick<Places, 'forgeOf'>
  tokens: Pick<PlacesOptions['tokens'], 'addressOf'>
  log: Log
}

const mostFollowed = 20
/** One that has not changed for this long is no longer followed. */
const keptS = 7 * 24 * 3600
/** How often it is checked: the first pause after a change, and the longest while nothing changes. */
const whilePending = { firstS: 60, longestS: 300 }
const otherwise = { firstS: 120, longestS: 900 }
/** The pauses for a forge that refuses or cannot be reached, and for a missing or expired token: a person has to act first. */
const refusedPauseS = 900
const noTokenPauseS = 3_600

/**
 * Polls pull requests that were opened here, until they are merged or closed. A forge without changes is asked less and less often, and
 * sends only what has changed (ETags). The state is stored together with its news, so a stop of the service loses and repeats nothing.
 */
export function createFollowing ({ db, clock, places, tokens, profileOf, log }: FollowingOptions) {
  const rows = createFollowedRows(db)
  /** `happened`: called inside the transaction that stores the news. */
  const listeners = new Listeners<{ happened: (news: PullNews) => void }>((event, error) =>
    log('a listener failed after news of a pull request', { event, reason: String(error) }))

  /** Returns null if the profile has no token. Throws the errors of the forge. */
  async function seen ({ sessionId, host, repository, number, seen: before }: FollowedPull): Promise<PullSnapshot | null> {
    const profile = profileOf(sessionId)
    const address = tokens.addressOf(profile, host)
    const forge = address === null ? null : await places.forgeOf(profile, address, repository)
    return forge === null ? null : await seenNow(forge, number, before)
  }

  /** Called inside a transaction. */
  function settle ({ id, sessionId, host, repository, number, seen: before, ...pull }: FollowedPull, now: PullSnapshot): void {
    const nowS = epochSeconds(clock)
    const isSame = isDeepStrictEqual(now, { ...before, isSettled: now.isSettled })
    const unchanged = isSame ? pull.unchanged + 1 : 0
    const { firstS, longestS } = now.checks === 'pending' ? whilePending : otherwise
    const nextLookAt = nowS + Math.min(longestS, firstS * 2 ** Math.min(unchanged, 10))
    // No row: it was closed or merged here in the meantime, and is no longer followed.
    if (!rows.set(id, { seen: now, unchanged, nextLookAt, ...(!isSame && { changedAt: nowS }) })) return
    if (now.state !== 'open') rows.drop(id)
    for (const event of eventsBetween(before, now)) listeners.emit('happened', { sessionId, host, repository, number, event })
  }

  async function look (followed: FollowedPull, signal: AbortSignal): Promise<'failed' | void> {
    const { id, changedAt, host, number } = followed
    if (epochSeconds(clock) - changedAt > keptS) return await db.durably(() => rows.drop(id))
    try {
      const now = await seen(followed)
      await db.durably(() => {
        if (now === null) rows.set(id, { nextLookAt: epochSeconds(clock) + noTokenPauseS })
        else settle(followed, now)
      })
    } catch (error) {
      if (!(error instanceof DomainError) || signal.aborted) throw error
      log('a pull request could not be checked', { host, number, reason: error.message })
      await db.durably(() => { rows.set(id, { nextLookAt: epochSeconds(clock) + pauseAfter(error) }) })
      return 'failed'
    }
  }

  /** Called inside a transaction. */
  function begin (place: Place, number: number): void {
    const nowS = epochSeconds(clock)
    rows.insert({
      id: randomBytes(8).toString('hex'), sessionId: place.session, ...keyOf(place, number), seen: unseen, unchanged: 0,
      nextLookAt: nowS + whilePending.firstS, changedAt: nowS
    }, mostFollowed)
  }

  const outbox = new Outbox<FollowedPull>({
    clock, due: rows.due, nextAfter: rows.nextAfter, width: 2, laneOf: ({ host }) => host, send: look,
    failed: ({ host, number }, error) => { log('news of a pull request could not be stored', { host, number, reason: String(error) }) }
  })

  return {
    on: listeners.on,
    /** Follows a pull request from now on; its earlier state is dropped. */
    follow (place: Place, number: number): void {
      db.soonest(() => {
        rows.remove(keyOf(place, number))
        begin(place, number)
      })
      outbox.look()
    },
    /** Follows a pull request from now on, unless it is followed already. */
    notice (place: Place, number: number): void {
      db.soonest(() => { if (!rows.has(keyOf(place, number))) begin(place, number) })
      outbox.look()
    },
    /** Stops following: the person who ended it here need not be told. */
    ended (place: Place, number: number): void {
      db.soonest(() => rows.remove(keyOf(place, number)))
    },
    /** Checks at once for due pull requests. */
    look: (): void => outbox.look(),
    stop: async (): Promise<void> => await outbox.stop(),
    size: (): number => rows.count()
  }
}

const keyOf = ({ address: { host }, repository }: Place, number: number): Pick<FollowedPull, 'host' | 'repository' | 'number'> =>
  ({ host, repository, number })

function pauseAfter (error: DomainError): number {
  if (error instanceof Unavailable) return Math.max(refusedPauseS, Number(error.details['retryAfterS'] ?? 0))
  return error instanceof Invalid && error.code === 'auth_failed' ? noTokenPauseS : refusedPauseS
}
