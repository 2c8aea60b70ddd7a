import { type tables, type Database } from '../../ground/database/index.js'

export type PlanVersion = typeof tables.plans.$inferSelect
export type VersionSummary = Pick<PlanVersion, 'version' | 'author' | 'createdAt' | 'startedAt'>

/** How many versions of a plan are kept. */
const mostVersions = 50
const all = 'session_id as sessionId, version, text, author, created_at as createdAt, started_at as startedAt'

/** The table `plans`; writes run inside the caller's transaction. */
export function createPlanRows ({ sqlite }: Database) {
  const latest = sqlite.prepare<[string], PlanVersion>(`select ${all} from plans where session_id = ? order by version desc limit 1`)
  const one = sqlite.prepare<[string, number], PlanVersion>(`select ${all} from plans where session_id = ? and version = ?`)
  const list = sqlite.prepare<[string], VersionSummary>(
    'select version, author, created_at as createdAt, started_at as startedAt from plans where session_id = ? order by version desc'
  )
  const insert = sqlite.prepare<[Omit<PlanVersion, 'startedAt'>]>(
    'insert into plans (session_id, version, text, author, created_at) values (@sessionId, @version, @text, @author, @createdAt)'
  )
  const prune = sqlite.prepare<[string, number]>('delete from plans where session_id = ? and version <= ?')
  const start = sqlite.prepare<[number, string, number]>(
    'update plans set started_at = ? where session_id = ? and version = ? and started_at is null'
  )

  return {
    latest: (sessionId: string): PlanVersion | undefined => latest.get(sessionId),
    find: (sessionId: string, version: number): PlanVersion | undefined => one.get(sessionId, version),
    /** Sorted from newest to oldest. */
    list: (sessionId: string): VersionSummary[] => list.all(sessionId),
    add (row: Omit<PlanVersion, 'startedAt'>): void {
      insert.run(row)
      prune.run(row.sessionId, row.version - mostVersions)
    },
    /** Returns false if the version was started before. */
    start: (sessionId: string, version: number, nowS: number): boolean => start.run(nowS, sessionId, version).changes === 1
  }
}
