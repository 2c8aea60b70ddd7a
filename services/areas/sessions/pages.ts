import { type Static } from '@sinclair/typebox'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type PageRow as PageRowSchema } from '../../../schemas/sessions-pages.js'
import { Invalid } from '../../ground/errors.js'
import { hostOnWire } from '../../ground/remote-folder.js'
import { type ListOptions } from './list.js'
import { type ListFlags } from './listed-ids.js'
import { activity, isListed, isPutAway } from './list-conditions.js'
import { previewOf } from './preview.js'
import { type SessionRow, type SessionWire } from './rows.js'

const compress = promisify(gzip)

/** Which sessions a list has. How many of the archived ones is up to the paging. */
export type PageFlags = Pick<ListFlags, 'profile' | 'allProfiles' | 'includeArchived' | 'source'>

/** One page of a list as finished JSON. The same object while its content is the same. */
export interface SessionPage {
  body: Buffer
  /** Identifies the content, for an ETag. */
  mark: number
  gzipped (): Promise<Buffer>
}

export interface PageOptions extends ListOptions {
  /** Returns the beginning of the last message, as it is shown. */
  lastSaid: (row: SessionRow) => string | null
}

/** A position in the order of a list: behind the session with that id. */
interface Place { activeAt: number, id: string }
interface Candidate extends Place { text: () => string }
interface KeptPage extends SessionPage { checked: number }

const mostPages = 64
const mostRows = 4_000
const farthest: Place = { activeAt: Number.MAX_VALUE, id: '' }

/** The keys that a row of a list needs; the rest comes with the session itself. */
const pageKeys = [
  'session_id', 'title', 'workspace', 'model', 'model_provider', 'profile', 'project_id', 'message_count', 'created_at', 'updated_at',
  'last_message_at',
  'pinned', 'archived', 'session_source', 'source_tag', 'is_cli_session', 'read_only', 'is_streaming', 'active_stream_id', 'attention',
  'worktree_branch',
  'parent_session_id', 'relationship_type', 'queued_count', 'resumes_at', 'mode'
] as const satisfies Array<keyof SessionWire>

type PageRow = Static<typeof PageRowSchema>

const rowToPageWire = (row: SessionWire, preview: string | null): PageRow =>
  ({
    ...Object.fromEntries(pageKeys.map((key) => [key, row[key]])) as Pick<SessionWire, typeof pageKeys[number]>,
    ...hostOnWire(row.workspace), preview
  })

/** No preview, as that would mean reading the files of the other front end. */
const foreignToPageWire = (row: SessionWire): PageRow => rowToPageWire(row, null)

/**
 * Pages of the list of sessions, in its order, by a cursor that names the last row of the previous page. Whatever is added or removed
 * meanwhile, no row that keeps its place is repeated or skipped.
 */
export class SessionPages {
  readonly #texts = new Map<string, string>()
  readonly #pages = new Map<string, KeptPage>()
  readonly #statements
  #marks = 0

  constructor (private readonly options: PageOptions) {
    const { sqlite } = options.db
    const isShown = `case when :archived then (${isListed}) or (${isPutAway}) else (${isListed}) end`
    const after = (whose: string, which: string) => sqlite.prepare<object, Place>(`select id, ${activity} as activeAt from sessions
      where ${whose} and ${which} and ${activity} <= :activeAt and (${activity} < :activeAt or id < :id) order by ${activity} desc, id desc limit :limit`)
    this.#statements = {
      own: after('profile = :profile', isListed),
      ownArchived: after('profile = :profile', isPutAway),
      every: after('true', isListed),
      everyArchived: after('true', isPutAway),
      pinned: sqlite.prepare<object, string>(
        `select id from sessions where pinned = 1 and (:all or profile = :profile) and (${isShown}) order by ${activity} desc, id desc`
      ).pluck(),
      shows: sqlite.prepare<object, number>(
        `select 1 from sessions where id = :id and (:all or profile = :profile) and (${isShown})`
      ).pluck()
    }
  }

  /**
   * Returns `limit` rows that follow `before`, the cursor of an earlier page; without one, the first. The first page also has the pinned
   * rows that come further down. Throws Invalid for an unknown cursor.
   */
  page (flags: PageFlags, limit: number, before?: string): SessionPage {
    const version = this.options.version()
    const key = JSON.stringify([flags, limit, before])
    const kept = this.#pages.get(key)
    if (kept?.checked === version) return kept
    const body = Buffer.from(this.#make(flags, limit, before))
    if (kept?.body.equals(body) === true) return Object.assign(kept, { checked: version })
    if (this.#pages.size >= mostPages) this.#pages.clear()
    let compressed: Promise<Buffer> | undefined
    const page = {
      body,
      mark: ++this.#marks,
      checked: version,
      gzipped (): Promise<Buffer> {
        compressed ??= compress(body)
        return compressed
      }
    }
    this.#pages.set(key, page)
    return page
  }

  /** Returns a row as pages have it, as JSON text; null if the list does not show it. */
  row (flags: PageFlags, id: string): string | null {
    const { profile, allProfiles, includeArchived, source } = flags
    if (source !== 'cli' && this.#statements.shows.get({
      id, profile, all: Number(allProfiles), archived: Number(includeArchived)
    }) === 1) return this.#text(id)
    const theirs = this.#foreignRows(flags).find((row) => row.session_id === id)
    return theirs === undefined ? null : JSON.stringify(foreignToPageWire(theirs))
  }

  /** Called when a row has changed; without an id, any may have. */
  forget (id?: string): void {
    if (id === undefined) this.#texts.clear()
    else this.#texts.delete(id)
  }

  size (): number {
    return this.#texts.size + this.#pages.size
  }

  #make (flags: PageFlags, limit: number, before?: string): string {
    const from = before === undefined ? farthest : placeOf(before)
    const rows = this.#candidates(flags, from, limit + 1).sort(inOrder).slice(0, limit + 1)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = rows.length > limit && last !== undefined ? cursorOf(last) : null
    const pinned = before === undefined && next !== null ? this.#pinned(flags, new Set(shown.map(({ id }) => id))) : []
    return `{"sessions":[${shown.map(({ text }) => text()).join(',')}],"pinned":[${pinned.join(',')}],"next_cursor":${JSON.stringify(next)},"version":${this.options.version()}}`
  }

  #candidates (flags: PageFlags, from: Place, limit: number): Candidate[] {
    const { own, ownArchived, every, everyArchived } = this.#statements
    const place = { ...from, limit, ...(flags.allProfiles ? {} : { profile: flags.profile }) }
    const ours = flags.source === 'cli' ? [] : (flags.allProfiles ? every : own).all(place)
    const put = flags.source === 'cli' || !flags.includeArchived ? [] : (flags.allProfiles ? everyArchived : ownArchived).all(place)
    const theirs = this.#foreignRows(flags).map((row) => ({
      id: row.session_id, activeAt: row.last_message_at ?? row.updated_at, text: () => JSON.stringify(foreignToPageWire(row))
    }))
    return [
      ...[...ours, ...put].map((row) => ({ ...row, text: () => this.#text(row.id) })), ...theirs.filter((row) => inOrder(from, row) < 0)
    ]
  }

  #pinned ({ profile, allProfiles, includeArchived, source }: PageFlags, shown: Set<string>): string[] {
    if (source === 'cli') return []
    const ids = this.#statements.pinned.all({ profile, all: Number(allProfiles), archived: Number(includeArchived) })
    return ids.filter((id) => !shown.has(id)).map((id) => this.#text(id))
  }

  #foreignRows (flags: PageFlags): SessionWire[] {
    return flags.source === 'webui' ? [] : this.options.foreign({ ...flags, archivedLimit: 0, archivedOffset: 0 }).rows
  }

  #text (id: string): string {
    const known = this.#texts.get(id)
    if (known !== undefined) return known
    const { get, toWire, lastSaid } = this.options
    const row = get(id)
    const said = lastSaid(row)
    const text = JSON.stringify(rowToPageWire(toWire(row), said === null ? null : previewOf(said)))
    if (this.#texts.size >= mostRows) this.#texts.clear()
    this.#texts.set(id, text)
    return text
  }
}

/** Latest first; equal times are ordered by id, so that each row has one place. */
function inOrder (one: Place, other: Place): number {
  return other.activeAt - one.activeAt || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
}

function cursorOf ({ activeAt, id }: Place): string {
  return Buffer.from(`${activeAt} ${id}`).toString('base64url')
}

function placeOf (cursor: string): Place {
  const [, activeAt, id] = /^(-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]\d{1,3})?) ([\w.-]{1,200})$/.exec(
    Buffer.from(cursor, 'base64url').toString()
  ) ?? []
  const place = { activeAt: Number(activeAt), id: id ?? '' }
  // Only cursors that were handed out are accepted.
  if (!Number.isFinite(place.activeAt) || cursorOf(place) !== cursor) throw new Invalid('before must be the next_cursor of an earlier page')
  return place
}
