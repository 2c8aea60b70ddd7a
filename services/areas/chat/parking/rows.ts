import type Sqlite from 'better-sqlite3'
import { oneRow, type tables, type Database } from '../../../ground/database/index.js'

/** A turn that waits for a limit to pass. */
export type ParkedTurn = Omit<typeof tables.parkedTurns.$inferSelect, 'attended' | 'isResuming'> & { attended: boolean, isResuming: boolean }

/** Absent: the one that it has waited for. */
interface NamedModel { provider?: string, model?: string }

const columns = `stream_id as streamId, parked_at as parkedAt, resumes_at as resumesAt, provider, parked_turns.model as model,
  provider_name as providerName, tries, attended, is_resuming as isResuming`

/** The table `parked_turns`; what writes runs inside the caller's transaction. */
export function createParkedRows ({ sqlite }: Database) {
  type Stored = Omit<ParkedTurn, 'attended' | 'isResuming'> & { attended: number, isResuming: number }
  const find = sqlite.prepare<[string], Stored>(`select ${columns} from parked_turns where stream_id = ?`)
  const inSession = sqlite.prepare<[string], string>(
    'select stream_id from parked_turns join streams on streams.id = stream_id where session_id = ? and state = \'active\'').pluck()
  const put = sqlite.prepare<[Stored]>(
    `insert or replace into parked_turns (stream_id, parked_at, resumes_at, provider, model, provider_name, tries, attended, is_resuming)
     values (@streamId, @parkedAt, @resumesAt, @provider, @model, @providerName, @tries, @attended, @isResuming)`)
  const remove = sqlite.prepare<[string]>('delete from parked_turns where stream_id = ?')
  const waiting = 'is_resuming = 0 and resumes_at is not null'
  // One of each provider: the one that has waited longest.
  const due = sqlite.prepare<[number], Stored>(
    `select ${columns}, min(resumes_at) from parked_turns where ${waiting} and resumes_at <= ? group by provider`)
  const next = sqlite.prepare<[], number | null>(`select min(resumes_at) from parked_turns where ${waiting}`).pluck()
  const setBack = sqlite.prepare<[{ nowS: number }]>(
    `update parked_turns set resumes_at = resumes_at - parked_at + @nowS, parked_at = @nowS where ${waiting} and parked_at > @nowS + 60`)
  const begin = sqlite.prepare<[{ streamId: string, provider: string | null, model: string | null }]>(
    `update parked_turns set is_resuming = 1, model = coalesce(@model, model), provider = coalesce(@provider, provider)
     where stream_id = @streamId and is_resuming = 0`)
  const leave = sqlite.prepare<[string]>('update parked_turns set is_resuming = 0 where stream_id = ?')
  const wait = sqlite.prepare<[{ streamId: string, resumesAt: number, provider: string | null, model: string | null }]>(
    `update parked_turns set resumes_at = @resumesAt, model = coalesce(@model, model), provider = coalesce(@provider, provider)
     where stream_id = @streamId and is_resuming = 0`)
  const count = sqlite.prepare<[], number>('select count(*) from parked_turns where is_resuming = 0').pluck()
  const turnOf = (row: Stored | undefined): ParkedTurn | undefined =>
    row && { ...row, attended: row.attended === 1, isResuming: row.isResuming === 1 }

  return {
    parked: (streamId: string): ParkedTurn | undefined => turnOf(find.get(streamId)),
    parkedIn: (sessionId: string): ParkedTurn | undefined => {
      const streamId = inSession.get(sessionId)
      return streamId === undefined ? undefined : turnOf(find.get(streamId))
    },
    park: (turn: ParkedTurn): void => { put.run({ ...turn, attended: Number(turn.attended), isResuming: Number(turn.isResuming) }) },
    unpark: (streamId: string): void => { remove.run(streamId) },
    /** Those that are due, one of each provider. */
    dueParked: (nowS: number): ParkedTurn[] => due.all(nowS).flatMap((row) => turnOf(row) ?? []),
    nextParked: (): number | null => next.get() ?? null,
    /** The clock was set back: they wait for as long as they were to. */
    waitAnew: (nowS: number): void => { setBack.run({ nowS }) },
    /** Only the first who asks gets true; the model that is given is the one it goes on with. */
    beginResuming: (streamId: string, { provider, model }: NamedModel = {}): boolean =>
      begin.run({ streamId, provider: provider ?? null, model: model ?? null }).changes === 1,
    parkAgain: (streamId: string): void => { leave.run(streamId) },
    /** False where it goes on already. */
    waitUntil: (streamId: string, resumesAt: number, { provider, model }: NamedModel = {}): boolean =>
      wait.run({ streamId, resumesAt, provider: provider ?? null, model: model ?? null }).changes === 1,
    parkedTurns: (): number => oneRow(count)
  }
}

/** In a database that is restored: what waited in it may have gone on since it was copied, so a person is to look first. */
export function askRestored (sqlite: Sqlite.Database): void {
  // A copy may be older than parked turns are.
  const isThere = sqlite.prepare("select 1 from sqlite_schema where name = 'parked_turns'").get() !== undefined
  if (isThere) sqlite.exec('update parked_turns set resumes_at = null, is_resuming = 0')
}
