import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, createGzip } from 'node:zlib'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { pageWords, type PageWords } from '../../ground/languages/index.js'
import { redact } from '../../ground/redaction/index.js'
import { inLanguage, type Exports } from '../exports/index.js'
import { type Sessions } from '../sessions/index.js'
import { type AuditPort } from '../audit/index.js'
import { createShareRows } from './rows.js'

const perSession = 20

/** A public page; `createdAt` in epoch seconds. */
export interface SharedPage { id: string, title: string, sessionId: string, profile: string, createdAt: number }

/** Returns the line below the title, in the language of the visitor. */
function noticeOf (createdAtS: number, { tag, shared }: PageWords): string {
  const day = new Intl.DateTimeFormat(tag === 'en' ? 'en-GB' : tag, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  return shared(day.format(createdAtS * 1_000))
}

/** Snapshots of sessions at addresses that cannot be guessed. The service stores only a hash of the address. */
export function createShares ({ db, clock, audit, sessions, exports }: {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<Sessions, 'get' | 'isForeign'>
  exports: Pick<Exports, 'snapshot'>
}) {
  const rows = createShareRows(db)
  /** Making the page of a long conversation takes a while. */
  const inMaking = new Set<{ sessionId: string, isRevoked: boolean }>()

  /** Removes a share inside a write of the caller's. Returns whether it existed. */
  function remove (sessionId: string, tokenHash: string): boolean {
    const isRemoved = rows.remove(sessionId, tokenHash)
    if (isRemoved) audit.record('share.revoked', { session: sessionId, share: idOf(tokenHash) })
    return isRemoved
  }

  async function snapshot (sessionId: string): Promise<Buffer[]> {
    return await exports.snapshot(sessionId, noticeOf(epochSeconds(clock), pageWords.en))
  }

  return {
    /**
     * Makes a page of the present session and stores it; the token is returned only here. The oldest pages of a session are removed if
     * there are too many. Throws NotFound, also if the session was deleted or all its pages were revoked meanwhile, and Forbidden for
     * a session of another program.
     */
    async create (sessionId: string): Promise<{ id: string, token: string, title: string, createdAtS: number }> {
      const title = redact(sessions.get(sessionId).title)
      const making = { sessionId, isRevoked: false }
      inMaking.add(making)
      try {
        // Uncompressed, the page of a long conversation would block everyone while it is stored.
        const page = await buffer(Readable.from(await snapshot(sessionId)).pipe(createGzip()))
        const token = randomBytes(24).toString('base64url')
        const createdAt = epochSeconds(clock)
        await db.durably(() => {
          sessions.get(sessionId)
          if (making.isRevoked) throw new NotFound('Sharing of this conversation was ended while the page was made, so there is no page')
          rows.insert({ tokenHash: hashOf(token), sessionId, title, page, createdAt })
          for (const { tokenHash } of rows.ofSession(sessionId).slice(perSession)) remove(sessionId, tokenHash)
          audit.record('share.created', { session: sessionId, share: idOf(hashOf(token)) })
        })
        return { id: idOf(hashOf(token)), token, title, createdAtS: createdAt }
      } finally {
        inMaking.delete(making)
      }
    },

    /**
     * Returns the page as it would be shared now, in pieces; stores nothing. Throws NotFound, and Forbidden for a session of another
     * program.
     */
    async preview (sessionId: string, words: PageWords): Promise<Buffer[]> {
      sessions.get(sessionId)
      return shownPage(await snapshot(sessionId), epochSeconds(clock), words)
    },

    /** Returns all public pages, of every session and profile, latest first. */
    all: (): SharedPage[] => rows.all().map(({ tokenHash, ...page }) => ({ id: idOf(tokenHash), ...page })),

    /** Revokes one public page. Throws NotFound. */
    async revokeOne (id: string): Promise<void> {
      await db.durably(() => {
        const page = rows.all().find(({ tokenHash }) => idOf(tokenHash) === id)
        if (page === undefined || !remove(page.sessionId, page.tokenHash)) {
          throw new NotFound('This page does not exist, or is no longer shared')
        }
      })
    },

    /** Returns the page of a token, in pieces, with its notice in these words. Throws NotFound, also for a revoked one. */
    async page (token: string, words: PageWords): Promise<Buffer[]> {
      const page = rows.page(hashOf(token))
      if (page === undefined) throw new NotFound('This page does not exist, or is no longer shared')
      const { html, createdAt } = page
      const pieces = typeof html === 'string' ? [Buffer.from(html)] : await Readable.from([html]).pipe(createGunzip()).toArray() as Buffer[]
      return shownPage(pieces, createdAt, words)
    },

    /** Returns the pages of a session, latest first; none for a session of another program. Throws NotFound. */
    list (sessionId: string): Array<{ id: string, title: string, createdAtS: number }> {
      if (sessions.isForeign(sessionId)) return []
      return rows.ofSession(sessions.get(sessionId).id).map(({
        tokenHash, title, createdAt
      }) => ({ id: idOf(tokenHash), title, createdAtS: createdAt }))
    },

    /**
     * Revokes one page of a session, or without an id all of them. Returns how many were revoked. Throws NotFound, and Forbidden for a
     * session of another program.
     */
    async revoke (sessionId: string, id?: string): Promise<number> {
      sessions.get(sessionId)
      for (const making of inMaking) if (id === undefined && making.sessionId === sessionId) making.isRevoked = true
      return await db.durably(() => {
        let revoked = 0
        for (const { tokenHash } of rows.ofSession(sessionId)) {
          if (id !== undefined && idOf(tokenHash) !== id) continue
          if (remove(sessionId, tokenHash)) revoked++
        }
        return revoked
      })
    }
  }
}

export type Shares = ReturnType<typeof createShares>

const typeface = '@font-face { font-family: Inter; src: url("/static/inter.woff2") format("woff2"); font-weight: 100 900; font-display: swap; }'

/**
 * Puts a page into these words, and gives it the typeface of the app, which a page in a file does not load. The notice stands before
 * everything that a session contains except its escaped title.
 */
function shownPage (pieces: readonly Buffer[], createdAtS: number, words: PageWords): Buffer[] {
  const notice = `<p class="notice" dir="auto">${noticeOf(createdAtS, words)}</p>`
  let head = Buffer.alloc(0)
  for (const [at, piece] of pieces.entries()) {
    head = Buffer.concat([head, piece])
    const end = head.indexOf('</header>')
    if (end === -1) continue
    const changed = head.subarray(0, end).toString()
      .replace('<html lang="en">', `<html lang="${words.tag}">`)
      .replace("content=\"default-src 'none'; style-src", "content=\"default-src 'none'; font-src 'self'; style-src")
      .replace('<style>\n', `<style>\n${typeface}\n`)
      .replace(/<p class="notice" dir="auto">[^<]*<\/p>/, notice)
    return inLanguage([Buffer.from(changed), head.subarray(end), ...pieces.slice(at + 1)], words)
  }
  return [...pieces]
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
/** Identifies a share without giving access to it. */
const idOf = (tokenHash: string): string => tokenHash.slice(0, 12)
