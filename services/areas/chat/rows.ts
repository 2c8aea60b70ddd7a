import type Sqlite from 'better-sqlite3'
import { type RunKind } from '../../agent/protocol.js'
import { type Limits } from '../budgets/index.js'
import { maskOf, oneRow, type Database } from '../../ground/database/index.js'
import { createParkedRows } from './parking/rows.js'
import { type TurnPlan, type TurnWishes, type Unbegun } from './turn-plan.js'

export interface OpenStream {
  streamId: string
  sessionId: string
  kind: RunKind
  profile: string
  workspace: string
  startedAtS: number
  generation: number
  state: 'active' | 'cancelling' | 'settling'
  settledSeq: number
  /** Number of the last event of its run that is stored. */
  runSeq: number
  /** The model that has answered so far. */
  provider: string | null
  model: string | null
  /** What its message asked for. */
  effort: string | null
  personality: string | null
  /** Its place in a trace; null: it is not traced. */
  trace: string | null
}

/** The state of a turn. Times are in epoch seconds. */
interface TurnSummary {
  startedAt: number
  endedAt: number | null
  terminalState: string | null
  provider: string | null
  model: string | null
}

interface StreamRow {
  sessionId: string
  state: string
  terminalState: string | null
  startedAt: number
  finishedAt: number | null
  lastSeq: number
  pruned: number
  lastEvent: string | null
}

/**
 * Prepares the statements of turns once. They are the only ones that write `steers`, `parked_turns` and `streams`, except for the columns
 * of the journal in `streams`.
 */
export function createTurnStore (db: Database) {
  return { ...reads(db), ...writes(db), ...steers(db), ...createParkedRows(db) }
}

export type TurnStore = ReturnType<typeof createTurnStore>

/** Ends turns of a restored database that no host had received when it was copied, because they may have begun since. */
export function endRestored (sqlite: Sqlite.Database): void {
  const columns = new Set(sqlite.prepare<[], string>("select name from pragma_table_info('streams')").pluck().all())
  // The copy may be older than one of these columns, or both.
  if (columns.has('unbegun')) sqlite.exec('update streams set unbegun = null')
  if (columns.has('held')) {
    sqlite.exec("update streams set held = null where json_valid(held) and (held ->> '$.unbegun' is not null or held ->> '$.given' is not null)")
  }
}

function reads ({ sqlite }: Database) {
  const active = sqlite.prepare<[string], { id: string }>("select id from streams where session_id = ? and state = 'active'")
  const stream = sqlite.prepare<[string], StreamRow>(
    `select session_id as sessionId, state, terminal_state as terminalState, started_at as startedAt, finished_at as finishedAt, last_seq as lastSeq, journal_pruned as pruned,
       (select event from frames where stream_id = streams.id and seq = streams.last_seq) as lastEvent from streams where id = ?`)
  const sessionOf = sqlite.prepare<[string], string>('select session_id from streams where id = ?').pluck()
  // Joined with the sessions, because this runs before anything else, even where a session is damaged.
  const opened = `select streams.id as streamId, session_id as sessionId, kind, sessions.profile as profile, sessions.workspace as workspace, started_at as startedAtS, streams.generation as generation,
       state, settled_seq as settledSeq, run_seq as runSeq, provider, streams.model as model, effort, streams.personality as personality, trace from streams join sessions on sessions.id = session_id where state <> 'closed'`
  const open = sqlite.prepare<[], OpenStream>(`${opened} order by started_at, streams.rowid`)
  const openOne = sqlite.prepare<[string], OpenStream>(`${opened} and streams.id = ?`)
  const summary = 'started_at as startedAt, ended_at as endedAt, terminal_state as terminalState, provider, model'
  const lastTurn = sqlite.prepare<[string], TurnSummary>(
    `select ${summary} from streams where session_id = ? order by started_at desc limit 1`
  )
  const lastEnded = sqlite.prepare<[string], TurnSummary>(
    `select ${summary} from streams where session_id = ? and state = 'closed' order by ended_at desc limit 1`
  )
  const endOf = sqlite.prepare<[string], { startedAt: number, finishedAt: number | null, terminalState: string | null }>(
    'select started_at as startedAt, finished_at as finishedAt, terminal_state as terminalState from streams where id = ?')
  const latest = sqlite.prepare<[string, number], { id: string, isActive: number }>(
    "select id, state = 'active' as isActive from streams where session_id = ? order by started_at desc limit ?"
  )
  // Joined here, because a session may have had thousands of turns, and their messages are in another table.
  const begunWith = sqlite.prepare<[string, string, string], { streamId: string, startedAtS: number }>(
    `select streams.id as streamId, started_at as startedAtS from streams join messages on messages.message_id = user_message_id join sessions on sessions.id = messages.session_id
     where streams.session_id = ? and kind = ? and position < message_count and ? in (body ->> '$.content', (${maskOf('body')}) ->> '$.content') order by started_at desc limit 1`)
  const stepsOf = sqlite.prepare<[string], number>("select count(*) from messages where stream_id = ? and role = 'assistant'").pluck()
  const jobOf = sqlite.prepare<[string], { id: string, dailyUsd: number | null }>(
    // The run of an open stream is open; of these there is an index, while all runs may be a hundred thousand.
    `select job_id as id, daily_usd as dailyUsd from cron_runs join cron_jobs on cron_jobs.id = job_id
     where cron_runs.state in ('queued', 'running') and stream_id = ?`)
  const attemptsOf = sqlite.prepare<[string], { id: string, limits: string | null }>(
    'select attempts.id, limits from attempt_sessions join attempts on attempts.id = attempts_id where stream_id = ?')
  const isPlanning = sqlite.prepare<[string], number>('select planning from streams where id = ?').pluck()
  const heldOf = sqlite.prepare<[string], string | null>('select held from streams where id = ?').pluck()
  const unbegunOf = sqlite.prepare<[string], string | null>('select unbegun from streams where id = ?').pluck()

  return {
    /** Returns the live stream of a session. */
    activeStream: (sessionId: string): string | undefined => active.get(sessionId)?.id,
    stream: (streamId: string): StreamRow | undefined => stream.get(streamId),
    /** Returns the session of a stream. */
    sessionOf: (streamId: string): string | undefined => sessionOf.get(streamId),
    /** Returns every stream that is not closed, in the order in which they began, for the start after a crash. */
    openStreams: (): OpenStream[] => open.all(),
    /** Returns a stream; undefined if it is closed. */
    openStream: (streamId: string): OpenStream | undefined => openOne.get(streamId),

    /** Returns when and how a turn ended. */
    summary: (streamId: string) => endOf.get(streamId),
    /** Returns the turn that began last in a session. */
    lastTurn: (sessionId: string): TurnSummary | undefined => lastTurn.get(sessionId),
    /** Returns the streams of the turns that began last. */
    latestStreams: (sessionId: string, limit: number): Array<{ streamId: string, isActive: boolean }> =>
      latest.all(sessionId, limit).map(({ id, isActive }) => ({ streamId: id, isActive: isActive === 1 })),
    /** Returns the turn that ended last. */
    lastEnded: (sessionId: string): TurnSummary | undefined => lastEnded.get(sessionId),
    /** Returns the turn of a kind that began with this same message, as it was sent or as it is shown. */
    begunWith: (sessionId: string, kind: RunKind, message: string): { streamId: string, startedAtS: number } | undefined =>
      begunWith.get(sessionId, kind, message),

    /** Returns how many model calls of a stream have finished. */
    stepsOf: (streamId: string): number => oneRow(stepsOf, streamId),
    /** Returns the budget of the scheduled job, or of the attempts, that an open stream belongs to. */
    budgetOf (streamId: string): TurnPlan['budget'] {
      const job = jobOf.get(streamId)
      if (job !== undefined) return { scope: 'job', id: job.id, ...(job.dailyUsd !== null && { limits: { hard_usd: job.dailyUsd } }) }
      const { id, limits } = attemptsOf.get(streamId) ?? {}
      return id === undefined ? undefined : { scope: 'attempts', id, ...(limits != null && { limits: JSON.parse(limits) as Limits }) }
    },
    /** Whether a turn is in plan mode. */
    isPlanning: (streamId: string): boolean => isPlanning.get(streamId) === 1,
    /** Returns the part of a run that is in no frame and no row, as JSON; null = nothing. */
    heldOf: (streamId: string): string | null => heldOf.get(streamId) ?? null,
    /** Returns what a turn that no host has received needs to begin, as JSON; null = it has begun, or does not begin after a restart. */
    unbegunOf: (streamId: string): string | null => unbegunOf.get(streamId) ?? null
  }
}

function writes ({ sqlite }: Database) {
  const insert = sqlite.prepare(
    'insert into streams (id, session_id, kind, state, generation, user_message_id, started_at, planning, effort, personality, unbegun, trace) ' +
    "values (?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?)"
  )
  const nameModel = sqlite.prepare('update streams set provider = ?, model = ? where id = ?')
  const fold = sqlite.prepare('update streams set settled_seq = last_seq + ? where id = ? and generation = ?')
  const move = sqlite.prepare(
    'update streams set state = ?, terminal_state = coalesce(?, terminal_state), ended_at = ? where id = ? and generation = ?'
  )
  const finish = sqlite.prepare<[{ streamId: string, generation: number, nowS: number }]>(
    `update streams set finished_at = @nowS, files_changed = (select count(distinct card ->> '$.args.path') from messages
       where session_id = streams.session_id and stream_id = streams.id
         and position > (select position from messages where message_id = user_message_id)
         and card is not null and json_valid(card) and card ->> '$.name' in ('write_file', 'edit_file') and not card ->> '$.is_error')
     where id = @streamId and generation = @generation and finished_at is null`)
  const fence = sqlite.prepare(
    "update streams set state = 'cancelling', generation = ?, terminal_state = 'interrupted-by-user' where id = ?"
  )
  const renew = sqlite.prepare<[string], number>(
    "update streams set generation = generation + 1 where id = ? and state = 'active' returning generation").pluck()
  const plan = sqlite.prepare(
    `update streams set planning = 1 where state <> 'closed' and session_id in (
       with recursive own(id) as (
         select ? union select sessions.id from sessions join own on parent_session_id = own.id
           where source in ('btw', 'background', 'subagent'))
       select id from own)`)
  const begun = sqlite.prepare(
    "update streams set held = iif(unbegun is null, held, json_object('given', json(unbegun))), unbegun = null where id = ? and generation = ?"
  )
  const setHeld = sqlite.prepare('update streams set held = ? where id = ? and generation = ?')

  return {
    open (stream: {
      streamId: string
      sessionId: string
      kind: string
      generation: number
      /** Null: the turn has no message, and continues from the end of the conversation. */
      userMessageId: string | null
      startedAtS: number
      isPlanning: boolean
      /** What it needs to begin after a restart of the service; null: it does not begin then. */
      unbegun: Unbegun | null
      trace: string | null
    } & TurnWishes): void {
      const {
        streamId, sessionId, kind, generation, userMessageId, startedAtS, isPlanning, unbegun, trace, effort = null, personality = null
      } = stream
      const needed = unbegun === null ? null : JSON.stringify(unbegun)
      insert.run(streamId, sessionId, kind, generation, userMessageId, startedAtS, isPlanning ? 1 : 0, effort, personality, needed, trace)
    },
    /** Marks a turn before a host receives its run: from here on, it may have had an effect. */
    begun: (streamId: string, generation: number): void => { begun.run(streamId, generation) },
    /** Puts the open turns of a session, and those beside it, into plan mode. */
    plan: (sessionId: string): void => { plan.run(sessionId) },
    nameModel: (streamId: string, provider: string, model: string): void => { nameModel.run(provider, model, streamId) },
    /** Marks the first `framesOfWrite` frames of the current write, and all before them, as part of message rows. */
    markFolded: (streamId: string, generation: number, framesOfWrite: number): void => { fold.run(framesOfWrite, streamId, generation) },
    /** Sets the state. The first call also stores when the turn finished, and how many files it has changed. */
    setState (streamId: string, generation: number, state: 'settling' | 'closed', terminalState: string | null, nowS: number): void {
      move.run(state, terminalState, nowS, streamId, generation)
      finish.run({ streamId, generation, nowS })
    },
    /** Frees the session. From here on, only the new generation may write to the stream. */
    fence: (streamId: string, generation: number): void => { fence.run(generation, streamId) },
    /** Returns the generation of another run of the turn; the earlier run has no effect any more. Undefined: the stream is over. */
    renewGeneration: (streamId: string): number | undefined => renew.get(streamId),
    setHeld: (streamId: string, generation: number, held: string | null): void => { setHeld.run(held, streamId, generation) }
  }
}

/** A text that goes back; `origin` null: to the person who typed it. */
interface ReturnedSteer { id: number, text: string, origin: string | null }

/** Texts that were sent to a running turn. */
function steers ({ sqlite }: Database) {
  const insertSteer = sqlite.prepare("insert into steers (stream_id, text, origin, state, created_at) values (?, ?, ?, 'pending', ?)")
  const dropSteer = sqlite.prepare("update steers set state = 'returned' where id = ? and state = 'pending'")
  const applySteer = sqlite.prepare(
    "update steers set state = 'applied' where id = (select min(id) from steers where stream_id = ? and state = 'pending' and text = ?)"
  )
  const returnSteers = sqlite.prepare<[string], ReturnedSteer>(
    "update steers set state = 'returned' where stream_id = ? and state = 'pending' returning id, text, origin"
  )
  const pendingSteers = sqlite.prepare<[string], string>(
    "select text from steers where stream_id = ? and state = 'pending' order by id"
  ).pluck()

  return {
    addSteer: (streamId: string, text: string, nowS: number, origin: string | null = null): number | bigint =>
      insertSteer.run(streamId, text, origin, nowS).lastInsertRowid,
    /** Removes a text. Returns false if the end of the run has already returned it. */
    dropSteer: (id: number | bigint): boolean => dropSteer.run(id).changes === 1,
    /** Marks a text that the run has taken. A text that was dropped meanwhile stays dropped. */
    applySteer: (streamId: string, text: string): void => { applySteer.run(streamId, text) },
    /** Removes texts that the run never took, and returns them in the order in which they were sent. */
    returnSteers: (streamId: string): ReturnedSteer[] => returnSteers.all(streamId).sort((one, other) => one.id - other.id),
    /** Returns texts that wait for the run's next step. */
    pendingSteers: (streamId: string): string[] => pendingSteers.all(streamId)
  }
}
