import { hash } from 'node:crypto'
import { isRecord } from '../../ground/fields.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { createRequestRows } from './rows.js'

/** The session or profile among whose requests an id is unique. */
export type RequestOwner = { session: string } | { profile: string }

/** A request, with what distinguishes it from others. */
export interface ClientRequest {
  of: RequestOwner
  /** The id that the client gave it; if absent or empty, every request is carried out. */
  clientId: string | null | undefined
  operation: string
  /** Everything that was passed with it. */
  asked: unknown
}

/**
 * Stores the answer together with the result of the request: called inside the transaction that creates the result, so that both are stored
 * or neither is. The answer may gain details until it is sent.
 */
export type Keep<Answer> = (answer: Answer) => void

export interface OnceOptions<Answer> {
  /** For results outside the database: returns the answer of an attempt that a crash has interrupted; null if it created nothing. */
  recover?: () => Promise<Answer | null>
}

/** How long the same id gets the first answer. */
export const keptS = 7 * 24 * 3_600
/** How many requests are remembered for one session or profile. */
export const mostKept = 5_000
const prunedAtOnce = 1_000

/**
 * Lets clients resend a request of which they do not know whether it arrived: the same id gets the first answer for a week, even while the
 * first request is still in progress. A request that failed without storing anything is not remembered.
 */
export function createIdempotency ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createRequestRows(db)
  const underWay = new Map<string, { fingerprint: string, answer: Promise<unknown> }>()

  /** Carries out a request that is unknown, or of which only the beginning is known. */
  async function first<Answer> (
    request: ClientRequest, key: { owner: string, clientId: string, fingerprint: string }, work: (keep: Keep<Answer>) => Promise<Answer>,
    recover?: () => Promise<Answer | null>
  ): Promise<Answer> {
    const { owner, clientId, fingerprint } = key
    const sessionId = 'session' in request.of ? request.of.session : null
    const put = (answer: string | null): void =>
      rows.put({ owner, clientId, sessionId, operation: request.operation, fingerprint, answer, createdAt: epochSeconds(clock) }, mostKept)
    let kept: string | null = null
    if (recover !== undefined) await db.durably(() => put(null))
    try {
      const answer = await work((answer) => { put(kept = JSON.stringify(answer)) })
      const last = JSON.stringify(answer)
      if (kept === null) await db.durably(() => put(last))
      else if (kept !== last) db.enqueue({ write: () => rows.setAnswer(owner, clientId, last) })
      return answer
    } catch (error) {
      if (recover !== undefined) db.soonest(() => rows.remove(owner, clientId))
      throw error
    }
  }

  return {
    /**
     * Returns the answer to a request: the first one, if the request was sent before. Throws Conflict (`client_id_reused`) if its id
     * belongs to another request, and the errors of `work`.
     */
    async once<Answer> (
      request: ClientRequest, work: (keep: Keep<Answer>) => Promise<Answer>, { recover }: OnceOptions<Answer> = {}
    ): Promise<Answer> {
      const { clientId, of } = request
      if (clientId === undefined || clientId === null || clientId === '') return await work(() => {})
      const owner = ownerName(of)
      const fingerprint = hash('sha256', JSON.stringify([request.operation, request.asked], sorted))
      const name = JSON.stringify([owner, clientId])
      const running = underWay.get(name)
      if (running !== undefined) {
        assertSame(running.fingerprint, fingerprint)
        return await running.answer as Answer
      }
      const known = rows.find(owner, clientId, epochSeconds(clock) - keptS)
      if (known !== undefined) assertSame(known.fingerprint, fingerprint)
      if (known !== undefined && known.answer !== null) return JSON.parse(known.answer) as Answer
      const answer = first(request, { owner, clientId, fingerprint }, async (keep) =>
        (known === undefined ? null : await recover?.()) ?? await work(keep), recover)
      underWay.set(name, { fingerprint, answer })
      try {
        return await answer
      } finally {
        underWay.delete(name)
      }
    },

    /** Called when an owner is gone: a later one of the same name must not get its answers. Sessions remove theirs by themselves. */
    forget: async (of: RequestOwner): Promise<void> => { await db.durably(() => rows.removeAll(ownerName(of))) },

    /** Removes old answers; called periodically. */
    async prune (): Promise<void> {
      const untilS = epochSeconds(clock) - keptS
      while (await db.durably(() => rows.prune(untilS, prunedAtOnce)) === prunedAtOnce);
    }
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>

const ownerName = (of: RequestOwner): string => 'session' in of ? `session ${of.session}` : `profile ${of.profile}`

function assertSame (first: string, now: string): void {
  if (first !== now) {
    throw new Conflict('This client_id belongs to another request. Send the same request, or use a new client_id', 'client_id_reused')
  }
}

/** Makes the order of a client's fields irrelevant. */
function sorted (_key: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)) : value
}
