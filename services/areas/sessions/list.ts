import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Static } from '@sinclair/typebox'
import { type SessionList as SessionListSchema } from '../../../schemas/sessions.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { type Database } from '../../ground/database/index.js'
import { gzipStart, type GzipStart } from '../../ground/gzip.js'
import { createBlocks, type ListEntry } from './list-blocks.js'
import { createListedIds, type ListedIds, type ListFlags } from './listed-ids.js'
import { type SessionRow, type SessionWire } from './rows.js'

/** Rows of sessions that this service does not own, newest first. */
export interface ForeignRows { rows: SessionWire[], total: number }

/** One answer. `key` and `version` name its content: the same ones always mean the same bytes. */
export interface SessionList {
  key: string
  version: number
  /** The last version at which its content was confirmed unchanged. */
  checked: number
  /** A short name: the same for the same key. */
  name: string
  entries: ListEntry[]
  /** The beginning of an answer, in pieces: a JSON object up to the end of its first value, the array of rows. */
  rows: Buffer[]
  /** A JSON array, as text. */
  references: string
  counts: { cli: number, archived: number, webui: number, otherProfiles: number }
  /** The constant part of an answer after the rows; null until it was first requested. */
  rest: Buffer | null
  compressed: Promise<GzipStart> | null
}

const keptLists = 16

/** Where lists get their rows from. */
export interface ListOptions {
  db: Database
  get: (id: string) => SessionRow
  toWire: (row: SessionRow) => SessionWire
  /** Rises with every change that a list could show. */
  version: () => number
  /** The rows of other front ends that belong in a list. */
  foreign: (flags: ListFlags) => ForeignRows
}

/**
 * Makes lists of sessions. Ids and their order come from one query over an index. Each row is cached as finished text until it changes, and
 * a list as finished bytes of several rows each.
 */
export function createSessionLists ({ db, get, toWire, version, foreign }: ListOptions) {
  const ids = createListedIds(db)
  const exists = db.sqlite.prepare<[string], number>('select 1 from sessions where id = ?').pluck()
  const entries = new Map<string, ListEntry>()
  const foreignEntries = new Map<string, ListEntry>()
  const lists = new Map<string, SessionList>()
  const blocks = createBlocks(keptLists)

  function entry (id: string): ListEntry {
    const known = entries.get(id)
    if (known !== undefined) return known
    const row = get(id)
    const made = { ...entryOf(toWire(row), true), activeAt: row.lastMessageAt ?? row.updatedAt }
    entries.set(id, made)
    return made
  }

  /** Returns the same object while its text is the same. */
  function foreignEntry (row: SessionWire): ListEntry {
    const made = entryOf(row, false)
    const known = foreignEntries.get(made.id)
    if (known?.text === made.text) return known
    foreignEntries.set(made.id, made)
    return made
  }

  /** Returns the rows of an answer in their order. Everything else that creates entries has to have run before. */
  function ordered (flags: ListFlags, { listed, archived: put }: Pick<ListedIds, 'listed' | 'archived'>) {
    // Both kinds are counted, whichever of them is shown.
    const { rows: theirs, total } = foreign({ ...flags, source: flags.source === 'webui' ? 'all' : flags.source })
    const shown = flags.source === 'webui' ? [] : theirs
    const rows = [...listed, ...put].map(entry).concat(shown.map(foreignEntry))
    if (put.length > 0 || shown.length > 0) rows.sort((a, b) => b.activeAt - a.activeAt)
    return { rows, foreignTotal: total }
  }

  function make (key: string, flags: ListFlags): SessionList {
    const { ours, references, ...shown } = ids.of(flags)
    const { rows, foreignTotal } = ordered(flags, shown)
    return {
      key,
      version: version(),
      checked: version(),
      name: createHash('sha256').update(key).digest('base64url').slice(0, 12),
      entries: rows,
      rows: [Buffer.from('{"sessions":['), ...blocks.bytes(key, rows), Buffer.from(']')],
      references: `[${references.map((id) => withKeys(entry(id).text, { _sidebar_reference_only: true })).join(',')}]`,
      counts: { cli: foreignTotal, webui: ours.length, ...ids.counts(flags) },
      rest: null,
      compressed: null
    }
  }

  return {
    /**
     * Returns the list. Makes missing rows and blocks a few at a time, so that a very long list does not block the event loop. Returns the
     * same object while its content is the same: most changes of a session show in no list.
     */
    async list (flags: ListFlags, fallback: () => unknown): Promise<SessionList> {
      const before = keyOfList(flags, fallback())
      const known = lists.get(before)
      if (known?.checked === version()) return known
      const pace = createPace()
      const { listed, archived: put, references } = ids.of(flags)
      for (const id of [...listed, ...put, ...references]) {
        if (entries.has(id) || exists.get(id) === undefined) continue
        entry(id)
        await pace()
      }
      // Sessions may have come and gone in the meantime.
      await setImmediate()
      await blocks.prepare(before, ordered(flags, ids.of(flags)).rows, pace)
      await setImmediate()
      // The default model may be another one now, and others may have asked for the list.
      const key = keyOfList(flags, fallback())
      const cached = lists.get(key)
      if (cached?.checked === version()) return cached
      const list = make(key, flags)
      if (cached !== undefined && isSame(cached, list)) return Object.assign(cached, { checked: list.checked, entries: list.entries })
      if (lists.size >= keptLists) lists.clear()
      lists.set(key, list)
      return list
    },

    /** Called when a row has changed; without an id, any may have. */
    forget (id?: string): void {
      if (id === undefined) entries.clear()
      else entries.delete(id)
    },

    size: (): number => entries.size + lists.size
  }
}

const keyOfList = (flags: ListFlags, fallback: unknown): string => JSON.stringify([flags, fallback])

function entryOf (row: SessionWire, isOwn: boolean): ListEntry {
  return { id: row.session_id, title: row.title, activeAt: row.last_message_at ?? row.updated_at, text: JSON.stringify(row), isOwn }
}

function isSame (one: SessionList, other: SessionList): boolean {
  return one.rows.length === other.rows.length && one.rows.every((piece, index) => {
    const same = other.rows[index]
    return same !== undefined && (piece === same || piece.equals(same))
  }) &&
    one.references === other.references && JSON.stringify(one.counts) === JSON.stringify(other.counts)
}

/** Returns a JSON object's text with more keys at its beginning. */
export function withKeys (text: string, keys: Record<string, unknown>): string {
  return `${JSON.stringify(keys).slice(0, -1)},${text.slice(1)}`
}

/** The keys of an answer beside the rows, without the time of the server: only that is different in each answer. */
type ListKeys = Omit<Static<typeof SessionListSchema>, 'sessions' | 'sidebar_reference_sessions' | 'server_time' | 'server_tz'>

function keysOf ({ counts }: SessionList, flags: ListFlags): ListKeys {
  return {
    cli_count: counts.cli,
    archived_count: counts.archived,
    active_profile: flags.profile,
    all_profiles: flags.allProfiles,
    include_archived: flags.includeArchived,
    archived_limit: flags.archivedLimit,
    archived_offset: flags.archivedOffset,
    webui_session_count: counts.webui,
    cli_session_count: counts.cli,
    archived_webui_count: counts.archived,
    archived_cli_count: 0,
    other_profile_count: counts.otherProfiles
  }
}

/** Returns an answer with a list, without its end: in cached pieces, and compressed once per list. */
export function listAnswer (list: SessionList, flags: ListFlags): { pieces: Buffer[], compressed: () => Promise<GzipStart> } {
  const pieces = [
    ...list.rows,
    list.rest ??= Buffer.from(`,"sidebar_reference_sessions":${list.references},${JSON.stringify(keysOf(list, flags)).slice(1, -1)}`)
  ]
  return {
    pieces,
    compressed: () => {
      list.compressed ??= gzipStart(pieces)
      return list.compressed
    }
  }
}

/** The end of the last answer, and its time in units of 10 ms. */
let lastEnd: { at: number, end: Buffer } | null = null

/**
 * Returns the end of the answer: the time of the server, which comes last, behind everything that is cached. It is rounded down to 10 ms,
 * so that answers of the same moment share it and their compressed bytes.
 */
export function listEnd (nowMs: number): Buffer {
  const at = Math.floor(nowMs / 10)
  if (lastEnd?.at !== at) {
    const time: Pick<Static<typeof SessionListSchema>, 'server_time' | 'server_tz'> = {
      server_time: at / 100, server_tz: timeZoneOffset(new Date(nowMs))
    }
    lastEnd = { at, end: Buffer.from(`,${JSON.stringify(time).slice(1)}`) }
  }
  return lastEnd.end
}

/** Returns the offset of the server's own time zone as `+HHMM`. */
function timeZoneOffset (date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`
}
