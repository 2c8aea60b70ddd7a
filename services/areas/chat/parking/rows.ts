import type Sqlite from 'better-sqlite3'
import { oneRow, type tables, type Database } from '../../../ground/database/index.js'

/** A turn that waits for a limit to pass. */
export type ParkedTurn = Omit<typeof tables.parkedTurns.$inferSelect, 'attended' | 'isResuming'> & { attended: boolean, isResuming: boolean }

/** What its stream tells of a parked turn. */
export const toldOf = ({ streamId, resumesAt, provider, providerName, model, problem }: ParkedTurn) =>
  ({ stream_id: streamId, resumes_at: resumesAt, provider, provider_name: providerName, model, ...(problem === null ? {} : { problem }) })

/** The model with which a turn resumes; null: the one that it has waited for. */
export type NamedModel = Pick<ParkedTurn, 'provider' | 'model' | 'providerName'> | null

const columns = `stream_id as streamId, parked_at as parkedAt, resumes_at as resumesAt, parked_turns.provider as provider, parked_turns.model as model,
  provider_name as providerName, problem, tries, attended, is_resuming as isResuming`

const unnamed = { provider: null, model: null, providerName: null }
type Naming = { streamId: string } & (NonNullable<NamedModel> | typeof unnamed)

/** The table `parked_turns`. Writes run inside the caller's transaction. */
export function createParkedRows ({ sqlite }: Database) {
  type Stored = Omit<ParkedTurn, 'attended' | 'isResuming'> & { attended: number, isResuming: number }
  const find = sqlite.prepare<[string], Stored>(`select ${columns} from parked_turns where stream_id = ?`)
  const inSession = sqlite.prepare<[string], string>(
    'select stream_id from parked_turns join streams on streams.id = stream_id where session_id = ? and state = \'active\'').pluck()
  const ofProfile = sqlite.prepare<[string], string>(
    'select stream_id from parked_turns join streams on streams.id = stream_id join sessions on sessions.id = session_id where profile = ?').pluck()
  const put = sqlite.prepare<[Stored]>(
    `insert or replace into parked_turns (stream_id, parked_at, resumes_at, provider, model, provider_name, problem, tries, attended, is_resuming)
     values (@streamId, @parkedAt, @resumesAt, @provider, @model, @providerName, @problem, @tries, @attended, @isResuming)`)
  const remove = sqlite.prepare<[string]>('delete from parked_turns where stream_id = ?')
  const waiting = 'is_resuming = 0 and resumes_at is not null'
  // One per provider: the one that has been due longest.
  const due = sqlite.prepare<[number], Stored>(
    `select ${columns}, min(resumes_at) from parked_turns where ${waiting} and resumes_at <= ? group by provider`)
  const next = sqlite.prepare<[], number | null>(`select min(resumes_at) from parked_turns where ${waiting}`).pluck()
  const setBack = sqlite.prepare<[{ nowS: number }]>(
    `update parked_turns set resumes_at = resumes_at - parked_at + @nowS, parked_at = @nowS where ${waiting} and parked_at > @nowS + 60`)
  const naming = 'model = coalesce(@model, model), provider = coalesce(@provider, provider), provider_name = coalesce(@providerName, provider_name)'
  // It is due from now on: if the service stops before its run was heard of, it resumes afterwards.
  const begin = sqlite.prepare<[Naming & { nowS: number }]>(
    `update parked_turns set is_resuming = 1, resumes_at = @nowS, problem = null, ${naming}
     where stream_id = @streamId and is_resuming = 0`)
  const leave = sqlite.prepare<[string]>('update parked_turns set is_resuming = 0 where stream_id = ?')
  const wait = sqlite.prepare<[Naming & { resumesAt: number }]>(
    `update parked_turns set resumes_at = @resumesAt, problem = null, ${naming}
     where stream_id = @streamId and is_resuming = 0`)
  // Parked turns whose readers were last told another time, another model or another problem, or that the turn resumes.
  const otherwise = sqlite.prepare<[], Stored & { sessionId: string, generation: number }>(
    `select ${columns}, session_id as sessionId, generation from parked_turns join streams on streams.id = stream_id
     where is_resuming = 0 and state = 'active' and (resumes_at, parked_turns.provider, parked_turns.model, problem) is not (
       select coalesce(plain, data) ->> '$.resumes_at', coalesce(plain, data) ->> '$.provider', coalesce(plain, data) ->> '$.model',
         coalesce(plain, data) ->> '$.problem' from frames
       where frames.stream_id = streams.id and event in ('parked', 'resumed') order by seq desc limit 1)`)
  const count = sqlite.prepare<[], number>('select count(*) from parked_turns where is_resuming = 0').pluck()
  const turnOf = (row: Stored | undefined): ParkedTurn | undefined =>
    row && { ...row, attended: row.attended === 1, isResuming: row.isResuming === 1 }

  return {
    parked: (streamId: string): ParkedTurn | undefined => turnOf(find.get(streamId)),
    parkedIn: (sessionId: string): ParkedTurn | undefined => {
      const streamId = inSession.get(sessionId)
      return streamId === undefined ? undefined : turnOf(find.get(streamId))
    },
    parkedOf: (profile: string): string[] => ofProfile.all(profile),
    park: (turn: ParkedTurn): void => { put.run({ ...turn, attended: Number(turn.attended), isResuming: Number(turn.isResuming) }) },
    unpark: (streamId: string): void => { remove.run(streamId) },
    /** Returns the turns that are due, one per provider. */
    dueParked: (nowS: number): ParkedTurn[] => due.all(nowS).flatMap((row) => turnOf(row) ?? []),
    nextParked: (): number | null => next.get() ?? null,
    /** Called when the clock was set back: keeps how long turns wait. Returns false if no time had to be changed. */
    waitAnew: (nowS: number): boolean => setBack.run({ nowS }).changes > 0,
    /** Returns the parked turns whose readers were last told something else. */
    parkedOtherwise: (): Array<{ sessionId: string, generation: number, parked: ParkedTurn }> =>
      otherwise.all().flatMap(({ sessionId, generation, ...row }) => {
        const parked = turnOf(row)
        return parked === undefined ? [] : [{ sessionId, generation, parked }]
      }),
    /** Returns true only to the first caller. The turn resumes with the model that is given. */
    beginResuming: (streamId: string, nowS: number, named: NamedModel): boolean =>
      begin.run({ streamId, nowS, ...(named ?? unnamed) }).changes === 1,
    parkAgain: (streamId: string): void => { leave.run(streamId) },
    /** Returns false if the turn resumes already. */
    waitUntil: (streamId: string, resumesAt: number, named: NamedModel): boolean =>
      wait.run({ streamId, resumesAt, ...(named ?? unnamed) }).changes === 1,
    parkedTurns: (): number => oneRow(count)
  }
}

/** For a database that is restored: its parked turns may have resumed after it was copied, so a person has to decide. */
export function askRestored (sqlite: Sqlite.Database): void {
  // A copy may be older than this table.
  const isThere = sqlite.prepare("select 1 from sqlite_schema where name = 'parked_turns'").get() !== undefined
  if (isThere) sqlite.exec('update parked_turns set resumes_at = null, is_resuming = 0')
}
