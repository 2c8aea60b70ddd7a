import { desc, eq, gt, sql } from 'drizzle-orm'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { join } from 'node:path'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { NotFound } from '../ground/errors.js'
import { newestFiles, type FoundFile, type Search } from './folders.js'
import { follow, type Followed, type Progress } from './follow.js'
import { type ForeignRow } from './tally.js'
import { type ForeignTranscript } from './transcript.js'
import { createTranscripts } from './transcripts.js'

export interface ForeignIndexOptions {
  db: Database
  clock: Clock
  /** The user's home folder. */
  home: string
  log: (message: string, details: Record<string, unknown>) => void
  /** Where the sessions lie; default: `.claude/projects` and `.codex/sessions` of `home`. */
  roots?: Partial<Record<ForeignRow['source'], string>>
  /** No more files than this are read of each front end, the newest. */
  maxFiles?: number
  /** Hears of every read of a session's file. */
  onRead?: (bytes: number) => void
  /** Lets other work run between two stretches of reading; default: a turn of the event loop. */
  pause?: () => Promise<unknown>
}

interface Source { name: ForeignRow['source'], suffix: string, search: Search, idOf: (name: string) => string }

/** Conversations that other front ends of this machine keep in files: found, listed and read, never changed. */
export function createForeignIndex ({ db, clock, home, log, roots = {}, maxFiles = 500, onRead, pause = nextTurn }: ForeignIndexOptions) {
  const { orm, sqlite } = db
  const { foreignSessions } = tables
  const byId = orm.select().from(foreignSessions).where(eq(foreignSessions.id, sql.placeholder('id'))).prepare()
  const bySource = orm.select().from(foreignSessions).where(eq(foreignSessions.source, sql.placeholder('source'))).prepare()
  const removal = sqlite.prepare<[string]>('delete from foreign_sessions where id = ?')
  // Rows without a user's message keep how far their file was read, and are shown nowhere.
  const shown = orm.select().from(foreignSessions).where(gt(foreignSessions.userMessageCount, 0))
    .orderBy(desc(foreignSessions.lastMessageAt), foreignSessions.id).prepare()
  const transcripts = createTranscripts({ onRead, pause })
  const known = new Map<string, Progress>()
  const sources = sourcesOf({
    claude_code: roots.claude_code ?? join(home, '.claude', 'projects'),
    codex: roots.codex ?? join(home, '.codex', 'sessions')
  }, maxFiles)
  let running: Promise<boolean> | null = null
  let isStopped = false

  async function scan (): Promise<boolean> {
    let hasChanged = false
    for (const source of sources) {
      const files = await newestFiles(source.search)
      if (isStopped) return hasChanged
      const rows = new Map(bySource.all({ source: source.name }).map((row) => [row.path, row]))
      hasChanged = forget(rows, files) || hasChanged
      for (const file of files) {
        if (isStopped) return hasChanged
        const row = rows.get(file.path)
        if (!isAsBefore(file, row)) hasChanged = await look(source, file, row) || hasChanged
      }
    }
    return hasChanged
  }

  /** Drops what belongs to files that are gone, or no longer among the newest. */
  function forget (rows: Map<string, ForeignRow>, files: FoundFile[]): boolean {
    const present = new Set(files.map(({ path }) => path))
    const gone = [...rows.values()].filter(({ path }) => !present.has(path))
    if (gone.length > 0) db.transaction(() => { for (const { id } of gone) removal.run(id) })
    for (const { path } of gone) known.delete(path)
    return gone.some((row) => visible(row) !== null)
  }

  function isAsBefore ({ path, inode, sizeBytes, modifiedAt }: FoundFile, row: ForeignRow | undefined): boolean {
    if (row === undefined) return false
    // The size tells what the time may not: two writes within one tick of the file system's clock.
    return row.inode === inode && row.modifiedAt === modifiedAt && (known.get(path)?.sizeBytes ?? row.readBytes) === sizeBytes
  }

  async function look (source: Source, { path, name }: FoundFile, row: ForeignRow | undefined): Promise<boolean> {
    const progress = row === undefined ? undefined : known.get(path)
    // Reading moves what it goes on from: when it fails half-way, the row alone says how far it had come.
    known.delete(path)
    try {
      const followed = await follow({ source: source.name, path, progress, row, nowS: epochSeconds(clock), isStopped: () => isStopped, onRead, pause })
      if (followed === null || isStopped) return false
      const hasChanged = store(source, path, name, followed, row)
      const { told: _told, ...next } = followed
      known.set(path, next)
      return hasChanged
    } catch (error) {
      log('a session of another front end could not be read', { path, error: (error as Error).message })
      return false
    }
  }

  function store (source: Source, path: string, name: string, { told, readBytes, inode, modifiedAt }: Followed, row: ForeignRow | undefined): boolean {
    return db.transaction(() => {
      const next: ForeignRow = { id: row?.id ?? freeId(source, name), source: source.name, path, readBytes, inode, modifiedAt, ...told }
      orm.insert(foreignSessions).values(next).onConflictDoUpdate({ target: foreignSessions.path, set: next }).run()
      return visible(row) !== visible(next)
    })
  }

  /** The front end's own id, unless another conversation has it. */
  function freeId ({ idOf, suffix }: Source, name: string): string {
    const own = idOf(name).replaceAll(/[^\w.-]/g, '_').slice(0, 100)
    let id = own
    for (let copy = 1; byId.get({ id }) !== undefined; copy++) id = copy === 1 ? `${own}-${suffix}` : `${own}-${suffix}-${copy}`
    return id
  }

  function get (id: string): ForeignRow | undefined {
    const row = byId.get({ id })
    return row === undefined || row.userMessageCount === 0 ? undefined : row
  }

  return {
    /**
     * Reads what has been written since the last time; true when the list is another one now. Only one runs at a time: who
     * calls meanwhile gets the outcome of that one. Throws when the folders or the database cannot be used.
     */
    refresh (): Promise<boolean> {
      running ??= scan().finally(() => { running = null })
      return running
    },

    /** The conversations that were found, the newest first. */
    list: (): ForeignRow[] => shown.all(),

    get,

    /** What was said, as our own messages. Throws NotFound, TooLarge, or Unavailable when the file is gone. */
    async transcript (id: string): Promise<ForeignTranscript> {
      const row = get(id)
      if (row === undefined) throw new NotFound('Session not found')
      return await transcripts.of(row)
    },

    /** Ends a refresh that is under way, and resolves when it has ended; nothing is read or written afterwards. */
    async stop (): Promise<void> {
      isStopped = true
      await running?.catch(() => {})
    }
  }
}

export type ForeignIndex = ReturnType<typeof createForeignIndex>

function sourcesOf (roots: Record<ForeignRow['source'], string>, limit: number): Source[] {
  return [{
    name: 'claude_code',
    suffix: 'claude',
    // Folders deeper down and files called agent-… hold what sub-agents said.
    search: { root: roots.claude_code, depth: { least: 1, most: 1 }, limit, isSession: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-') },
    idOf: (name) => name.slice(0, -'.jsonl'.length)
  }, {
    name: 'codex',
    suffix: 'codex',
    search: { root: roots.codex, depth: { least: 0, most: 3 }, limit, isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl') },
    idOf: (name) => /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/i.exec(name)?.[0] ?? name.slice('rollout-'.length, -'.jsonl'.length)
  }]
}

/** What people see of a row. */
function visible (row: ForeignRow | undefined): string | null {
  if (row === undefined || row.userMessageCount === 0) return null
  const { readBytes: _readBytes, inode: _inode, modifiedAt: _modifiedAt, ...rest } = row
  return JSON.stringify(Object.entries(rest).sort())
}
