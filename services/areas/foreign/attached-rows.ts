import { eq, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type AttachedRow = typeof tables.attachedSessions.$inferSelect
/** Up to where the file is known. */
export type KnownPlace = Pick<AttachedRow, 'readBytes' | 'seam' | 'knownRows' | 'lastWriter' | 'isOpen'>

/** The table `attached_sessions`: the sessions that continue a conversation of another front end, and up to where its file is known. */
export function createAttachedRows ({ orm, sqlite }: Database) {
  const { attachedSessions } = tables
  const byId = orm.select().from(attachedSessions).where(eq(attachedSessions.sessionId, sql.placeholder('id'))).prepare()
  const all = sqlite.prepare<[], string>('select session_id from attached_sessions').pluck()
  const exists = sqlite.prepare<[string], number>('select exists (select 1 from attached_sessions where session_id = ?)').pluck()
  const answeredBy = sqlite.prepare<[string, string], number>(
    'select exists (select 1 from streams where session_id = ? and provider is not null and provider <> ?)'
  ).pluck()

  return {
    get: (id: string): AttachedRow | undefined => byId.get({ id }),
    has: (id: string): boolean => oneRow(exists, id) === 1,
    ids: (): string[] => all.all(),
    /** Whether another model than its agent has answered in it, too. */
    isShared: ({ sessionId, agent }: AttachedRow): boolean => oneRow(answeredBy, sessionId, agent) === 1,
    /** Called inside the caller's transaction, like `move`. */
    insert: (row: AttachedRow): void => { orm.insert(attachedSessions).values(row).run() },
    move: (id: string, place: KnownPlace): void => {
      orm.update(attachedSessions).set(place).where(eq(attachedSessions.sessionId, id)).run()
    }
  }
}

export type AttachedRows = ReturnType<typeof createAttachedRows>
