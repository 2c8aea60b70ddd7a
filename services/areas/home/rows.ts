import { oneRow, maskedText, type Database } from '../../ground/database/index.js'

/** A turn that has ended. Times in epoch seconds. */
export interface FinishedTurn {
  streamId: string
  sessionId: string
  title: string
  source: string
  userMessageId: string | null
  finishedAt: number
  terminalState: string | null
  filesChanged: number
}

/** A running turn; `doing`: the item in progress on its todo list. */
export interface RunningTurn {
  sessionId: string
  title: string
  startedAt: number
  doing: string | null
  /**
   * The provider whose limit the turn waits for; null if it waits for none. `resumesAt` null: it asks a person. `problem`: why it could not
   * continue.
   */
  limitOf: string | null
  resumesAt: number | null
  problem: string | null
}

/** A prompt that waits for a person; times in epoch seconds. */
export interface WaitingPrompt {
  id: string
  sessionId: string
  title: string
  kind: 'approval' | 'clarify'
  since: number
  expiresAt: number | null
}

/** A turn at a limit that asks a person how it continues. */
export interface UndecidedTurn extends Pick<WaitingPrompt, 'sessionId' | 'title' | 'since'> {
  streamId: string
  provider: string
  problem: string | null
}

/** A run of a job; `endedAt` is null while it is unfinished. */
export interface JobRun {
  jobId: string
  name: string
  streamId: string | null
  status: string | null
  error: string | null
  endedAt: number | null
}

/** Messages that wait in a chat; `notBefore`: a time in the future, in epoch seconds, for which the next one waits. */
interface WaitingQueue {
  sessionId: string
  title: string
  count: number
  notBefore: number | null
}

/** The last text of a turn. `isError` (1): why the turn failed; with the provider, and the model, that the error is about. */
export interface Answer { text: string, isError: number, provider: string | null, model: string | null }

interface Since { profile: string, sinceS: number, most: number }

/** Enough for an excerpt, whatever markup it contains. */
const saidChars = 400

/** Reads the contents of Home from the tables of other areas, by their indexes. Writes nothing. */
export function createHomeRows ({ sqlite }: Database) {
  // Sessions of scheduled jobs are in no list, unless the settings say so; their results are shown anyway.
  const isShown = "sessions.profile = @profile and archived = 0 and source <> 'deleted' and (hidden = 0 or source = 'cron')"
  const isOfPeople = "kind in ('chat', 'goal', 'cron')"
  const finished = sqlite.prepare<[Since], FinishedTurn>(
    `select streams.id as streamId, session_id as sessionId, title, source, user_message_id as userMessageId, finished_at as finishedAt,
       terminal_state as terminalState, files_changed as filesChanged
     from streams indexed by streams_by_finish join sessions on sessions.id = session_id
     where finished_at > @sinceS and ${isOfPeople} and ${isShown} order by finished_at desc limit @most`)
  const running = sqlite.prepare<[Omit<Since, 'sinceS'>], RunningTurn>(
    `select session_id as sessionId, title, started_at as startedAt, case when json_valid(todos) and todos ->> '$.stream_id' = streams.id
       then (select value ->> '$.content' from json_each(todos, '$.todos') where value ->> '$.status' = 'in_progress' limit 1) end as doing,
       provider_name as limitOf, resumes_at as resumesAt, problem
     from streams indexed by streams_open join sessions on sessions.id = session_id
       left join parked_turns on parked_turns.stream_id = streams.id and is_resuming = 0
     where state <> 'closed' and state = 'active' and ${isOfPeople} and ${isShown} order by started_at desc limit @most`)
  const waiting = sqlite.prepare<[Omit<Since, 'sinceS'>], WaitingPrompt>(
    `select prompts.id as id, session_id as sessionId, title, prompts.kind as kind, prompts.created_at as since, expires_at as expiresAt
     from prompts indexed by prompts_open join sessions on sessions.id = session_id
     where prompts.state in ('open', 'answering') and ${isShown} order by arrival limit @most`)
  const undecided = sqlite.prepare<[Omit<Since, 'sinceS'>], UndecidedTurn>(
    `select streams.id as streamId, session_id as sessionId, title, parked_at as since, provider_name as provider, problem
     from parked_turns join streams on streams.id = stream_id join sessions on sessions.id = session_id
     where resumes_at is null and is_resuming = 0 and state = 'active' and ${isOfPeople} and ${isShown} order by parked_at limit @most`)
  const asking = sqlite.prepare<[string], number>(
    "select exists (select 1 from prompts where session_id = ? and state in ('open', 'answering'))").pluck()
  const runs = sqlite.prepare<[Since], JobRun>(
    `select job_id as jobId, name, stream_id as streamId, status, error, ended_at as endedAt
     from cron_runs indexed by cron_runs_by_end join cron_jobs on cron_jobs.id = job_id
     where profile = @profile and ended_at > @sinceS and cron_runs.state = 'done' order by ended_at desc limit @most`)
  const openRuns = sqlite.prepare<[string], JobRun>(
    `select job_id as jobId, name, stream_id as streamId, status, error, ended_at as endedAt
     from cron_runs indexed by cron_runs_open join cron_jobs on cron_jobs.id = job_id where cron_runs.state in ('queued', 'running') and profile = ?`)
  const queued = sqlite.prepare<[{ profile: string }], number>(
    `select (select count(*) from cron_runs indexed by cron_runs_open join cron_jobs on cron_jobs.id = job_id
         where cron_runs.state in ('queued', 'running') and cron_runs.state = 'queued' and profile = @profile)
       + (select count(*) from background_tasks cross join sessions on sessions.id = background_tasks.parent_session_id
         where background_tasks.state = 'queued' and profile = @profile)`).pluck()
  const queues = sqlite.prepare<[{ profile: string, nowS: number, most: number }], WaitingQueue>(
    `select sessions.id as sessionId, title, count(*) as count, (
       select case when not_before > @nowS then not_before end from queue_entries where session_id = sessions.id order by position limit 1
     ) as notBefore
     from queue_entries join sessions on sessions.id = queue_entries.session_id
     where ${isShown} group by sessions.id order by max(queue_entries.created_at) desc limit @most`)
  const queuedMessages = sqlite.prepare<[{ profile: string }], number>(
    `select count(*) from queue_entries join sessions on sessions.id = queue_entries.session_id where ${isShown}`).pluck()
  const nextRun = sqlite.prepare<[string], { jobId: string, name: string, atS: number }>(
    `select id as jobId, name, next_run_at as atS from cron_jobs
     where profile = ? and next_run_at is not null order by next_run_at limit 1`)
  // Searches from the end of the session back to the message with which the turn began: usually the first row is the answer.
  const answer = (text: string) => sqlite.prepare<[FinishedTurn], Answer>(
    `select substr(${text} ->> '$.content', 1, ${saidChars}) as text, body ->> '$._error' is 1 as isError,
       ${text} ->> '$._errorAbout.provider' as provider, ${text} ->> '$._errorAbout.model' as model
     from messages
     where session_id = @sessionId and position > (select position from messages where message_id = @userMessageId)
       and stream_id = @streamId and role = 'assistant' and json_valid(body) and coalesce(body ->> '$.content', '') <> ''
     order by position desc limit 1`)
  const answers = { masked: answer(maskedText('body')), plain: answer('body') }

  return {
    /** Returns turns that people, goals and jobs have begun and that have ended since; latest first. */
    finished: (since: Since): FinishedTurn[] => finished.all(since),
    /** Returns running turns, latest first. */
    running: (of: Omit<Since, 'sinceS'>): RunningTurn[] => running.all(of),
    /** Returns prompts that wait for a person, oldest first. */
    waiting: (of: Omit<Since, 'sinceS'>): WaitingPrompt[] => waiting.all(of),
    /** Returns turns at a limit that ask a person how they continue, oldest first. */
    undecided: (of: Omit<Since, 'sinceS'>): UndecidedTurn[] => undecided.all(of),
    /** Whether a prompt waits for a person in a session. */
    isAsking: (sessionId: string): boolean => oneRow(asking, sessionId) === 1,
    /** Returns runs of jobs that have ended since, latest first. */
    runs: (since: Since): JobRun[] => runs.all(since),
    /** Returns runs of jobs that are not over. */
    openRuns: (profile: string): JobRun[] => openRuns.all(profile),
    /** Returns how many runs of jobs and background tasks are queued. */
    queued: (profile: string): number => oneRow(queued, { profile }),
    /** Returns chats with waiting messages, the one with the latest message first. */
    queues: (of: { profile: string, nowS: number, most: number }): WaitingQueue[] => queues.all(of),
    /** Returns how many messages wait in the queues of chats. */
    queuedMessages: (profile: string): number => oneRow(queuedMessages, { profile }),
    /** Returns the job that is due next. */
    nextRun: (profile: string): { jobId: string, name: string, atS: number } | undefined => nextRun.get(profile),
    /** Returns the beginning of a turn's answer, or of the error that ended it; undefined if there is none, or it cannot be read. */
    answerOf: (turn: FinishedTurn, isMasked: boolean): Answer | undefined => answers[isMasked ? 'masked' : 'plain'].get(turn)
  }
}
