import { Type, type Static } from '@sinclair/typebox'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, maskAhead, maskOfJson, remaskingKey, type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Log } from '../../ground/log.js'
import { isLong } from '../../ground/redaction/index.js'
import { closedCard, closedMessage } from './message-fields.js'
import { createMessageRows, type MessageRows, type StoredMasks } from './message-rows.js'
import { lastSaid } from './preview.js'
import { createSessionRows, type SessionRows } from './session-rows.js'

/** Raised with every change of the rules for credentials, or of the keys that imported messages keep. */
const rulesVersion = 6
/** Messages with ids after `after`, up to `upto`, are still to be masked by these rules; see maskOf. */
const Place = Type.Object({ rules: Type.Number(), after: Type.Number(), upto: Type.Number() })
type Place = Static<typeof Place>
const messagesAtOnce = 8
/** How long one portion may block the event loop, approximately. */
const portionMs = 5
/** Pauses are this many times as long as the portions between them: turns keep nearly all of the processor. */
const pauseFactor = 19
const retryMs = 60_000

interface Rows { rows: MessageRows, sessions: SessionRows }

export interface RemaskingOptions {
  db: Database
  clock: Clock
  log?: Log
}

/**
 * Applies the rules to stored messages when they are newer than the database: masks credentials again, and removes the keys of imported
 * messages that the interface does not have. Works in portions while the service runs; each is committed together with the position it has
 * reached. A message that has not been reached yet is masked when it is read (maskOf).
 */
export function createRemasking ({ db, clock, log = () => {} }: RemaskingOptions) {
  const marks = createMarks(db, clock)
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  /** Processes the next messages, within `portionMs` of the first. Stops before a long one unless it is the first. */
  function portion (tables: Rows, place: Place): { place: Place | undefined, next: StoredMasks | undefined } {
    const untilMs = performance.now() + portionMs
    let { after } = place
    let next: StoredMasks | undefined
    let now: Place | undefined
    const ended = new Set<string>()
    db.transaction(() => {
      for (let isOver = false; !isOver;) {
        const batch = tables.rows.maskable(after, place.upto, messagesAtOnce)
        for (const row of batch) {
          isOver = after !== place.after && (performance.now() > untilMs || isLong(row.body))
          if (isOver) {
            next = row
            break
          }
          try {
            if (row.isLast === 1) ended.add(row.sessionId)
            apply(tables.rows, row)
          } catch (error) {
            log('a stored message could not be masked again', { message: row.id, reason: String(error) })
          }
          after = row.id
        }
        isOver ||= batch.length < messagesAtOnce
      }
      // Rows that were copied meanwhile may be copies of rows that were not masked yet.
      const upto = next === undefined ? marks.last() : place.upto
      now = next === undefined && upto <= place.upto ? undefined : { ...place, after, upto }
      if (now === undefined) marks.settle()
      else marks.store(now)
      // Only now the masks that were just stored count.
      for (const id of ended) tables.sessions.setLastSaid(id, lastSaid(tables.rows, id, tables.sessions.find(id)?.messageCount))
    })
    return { place: now, next }
  }

  /** Masks everything that is left. `pause` is awaited between two portions, and gets the milliseconds that the last one took. */
  async function work (pause: (tookMs: number) => Promise<void> = async () => {}): Promise<void> {
    const tables = { rows: createMessageRows(db), sessions: createSessionRows(db) }
    let place = marks.read()
    while (place !== undefined) {
      const beganMs = performance.now()
      const done = portion(tables, place)
      place = done.place
      if (done.next !== undefined) await maskAhead(done.next)
      await pause(performance.now() - beganMs)
    }
  }

  async function workInBackground (): Promise<void> {
    const { signal } = stopping
    const beganMs = performance.now()
    log('masking stored messages by new rules', {})
    while (!signal.aborted) {
      try {
        await work(async (tookMs) => { await delay(tookMs * pauseFactor, undefined, { signal, ref: false }) })
        log('stored messages are masked by new rules', { seconds: Math.round((performance.now() - beganMs) / 1000) })
        return
      } catch (error) {
        if (signal.aborted) return
        log('stored messages could not be masked again; retrying', { reason: String(error) })
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  return {
    prepare: marks.prepare,
    /** Masks in the background what `prepare` has found. */
    begin (): void { if (marks.isLeft()) running = workInBackground() },
    work,
    async stop (): Promise<void> {
      stopping.abort()
      await running
    }
  }
}

/** Stores up to where messages are masked by which rules. Kept in the database, across restarts and other versions of the service. */
function createMarks ({ sqlite, transaction }: Database, clock: Clock) {
  const values = createValues(sqlite)
  const lastMessage = sqlite.prepare<[], number | null>('select max(id) from messages').pluck()

  /** Makes any other version, older or newer, mask all messages again. */
  function store (place: Place): void {
    values.set(remaskingKey, place, epochSeconds(clock))
    sqlite.pragma('user_version = 0')
  }

  function settle (): void {
    values.remove(remaskingKey)
    sqlite.pragma(`user_version = ${rulesVersion}`)
  }
  const last = (): number => lastMessage.get() ?? 0
  const read = (): Place | undefined => values.read(remaskingKey, Place)

  return {
    last,
    read,
    store,
    settle,
    isLeft: (): boolean => values.get(remaskingKey) !== undefined,

    /** Stores what is to be masked again, if anything is. To be called before anything is read. */
    prepare (): void {
      if (sqlite.pragma('user_version', { simple: true }) === rulesVersion) return
      const before = read()
      // Another version with rules of its own may have run since: all existing messages count as unmasked.
      const upto = last()
      transaction(() => {
        if (upto === 0) settle()
        else store({ rules: rulesVersion, after: before?.rules === rulesVersion ? before.after : -1, upto })
      })
    }
  }
}

/** Applies the rules to one message. */
function apply (rows: MessageRows, { id, isOfTurn, redactedBody, redactedCard, ...stored }: StoredMasks): void {
  const body = isOfTurn === 1 ? stored.body : closed(stored.body, closedMessage)
  const card = isOfTurn === 1 || stored.card === null ? stored.card : closed(stored.card, closedCard)
  if (body !== stored.body || card !== stored.card) rows.rewrite(id, body, card)
  const masks = { body: maskOfJson(body, redactedBody), card: card === null ? null : maskOfJson(card, redactedCard) }
  if (masks.body !== redactedBody || masks.card !== redactedCard) rows.mask(id, masks.body, masks.card)
}

/** Returns the same text if it has no key that the interface lacks. */
function closed (text: string, close: (value: Record<string, unknown>) => Record<string, unknown>): string {
  const value = fieldsOf(JSON.parse(text))
  const kept = close(value)
  return isDeepStrictEqual(kept, value) ? text : JSON.stringify(kept)
}
