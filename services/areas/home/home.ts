import { type Static } from '@sinclair/typebox'
import { type HomeCounts } from '../../../schemas/home-parts.js'
import { type Home as HomeSchema } from '../../../schemas/home.js'
import { withoutDemoNotice } from '../../agent/index.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { excerptOf, type Sessions } from '../sessions/index.js'
import { storedError, type Chat } from '../chat/index.js'
import { type MessageQueue } from '../queue/index.js'
import { createHomeRows, type Answer, type FinishedTurn, type JobRun, type RunningTurn } from './rows.js'
import { createLastSeen, type LastSeenOptions } from './last-seen.js'
import { silenceOf, silentAfterMs } from './silence.js'

export interface HomeOptions extends LastSeenOptions {
  sessions: Pick<Sessions, 'isMasked' | 'shown'>
  chat: Pick<Chat, 'activityOf' | 'activities'>
  /** Returns why the queue of a session does not continue by itself; null if it does. */
  heldOf: MessageQueue['heldOf']
}

type HomeWire = Static<typeof HomeSchema>
type FinishedWire = HomeWire['finished'][number]
type Counts = Static<typeof HomeCounts>

/** How far back to look if nobody has looked before. */
const firstLookS = 24 * 3600
/** The maximum number of entries in each list. */
const mostShown = 50
/** How many turns, and runs of jobs, are read for that: one chat may have had many. */
const mostRead = 400
const excerptChars = 160

/** How turns end that have given an answer. */
const answered = new Set<string | null>(['completed', 'tool_limit_reached', 'budget_exhausted', 'client_calls'])

/** What has happened since a person last looked, what is running, and what comes next. */
export function createHome ({ sessions: { isMasked, shown }, chat, heldOf, ...options }: HomeOptions) {
  const rows = createHomeRows(options.db)
  const seen = createLastSeen(options)
  /** Sessions whose turns were silent at the last check. */
  let silent = new Map<string, string>()

  const silence = (sessionId: string) => silenceOf(chat.activityOf(sessionId), rows.isAsking(sessionId), epochSeconds(options.clock))

  /** Returns what ended after a time, without chats that are working again. */
  function ended (profile: string, sinceS: number, running: RunningTurn[]) {
    const since = { profile, sinceS, most: mostRead }
    const runs = rows.runs(since)
    return { runs, finished: finishedOf(rows.finished(since), running, [...rows.openRuns(profile), ...runs]) }
  }

  /** Returns prompts, and turns at a limit that ask how they continue; oldest first. */
  function waiting (profile: string): HomeWire['waiting'] {
    const of = { profile, most: mostShown }
    const prompts = rows.waiting(of).map(({ id, sessionId, title, kind, since, expiresAt }): HomeWire['waiting'][number] => ({
      id, session_id: sessionId, title: shown(title), kind: kind === 'approval' ? 'approval' : 'question', since: Math.floor(since),
      expires_at: wholeOrNull(expiresAt)
    }))
    const undecided = rows.undecided(of).map(({ streamId, sessionId, title, since, provider, problem }): HomeWire['waiting'][number] => ({
      id: streamId, session_id: sessionId, title: shown(title), kind: 'limit', since: Math.floor(since), expires_at: null,
      parked: { provider, resumes_at: null, problem }
    }))
    return [...prompts, ...undecided].toSorted((a, b) => a.since - b.since).slice(0, mostShown)
  }

  return {
    /** Epoch seconds; null if nobody has looked yet. */
    seenAt: (profile: string): number | null => wholeOrNull(seen.at(profile)),
    /** See createLastSeen. */
    look: async (profile: string, atS?: number): Promise<number> => Math.floor(await seen.look(profile, atS)),
    forget: seen.forget,

    /** Returns what the live turn of a session waits for, if it has been silent for long; null if it has not, or there is none. */
    silence,

    /** Reports the profiles in which a turn has fallen silent or resumed since the last check. */
    lookForSilence (): void {
      const found = new Map(chat.activities().filter(({ silentMs }) => silentMs >= silentAfterMs)
        .map(({ sessionId, profile }) => [sessionId, profile]))
      const moved = [...found].filter(([id]) => !silent.has(id)).concat([...silent].filter(([id]) => !found.has(id)))
      silent = found
      for (const profile of new Set(moved.map(([, profile]) => profile))) options.told(profile)
    },

    /** Returns the same as `read` in numbers; `ended` and `failed` count what ended after `sinceS`, by default after the last look. */
    counts (profile: string, sinceS = seen.at(profile) ?? epochSeconds(options.clock) - firstLookS): Counts {
      const running = rows.running({ profile, most: mostShown })
      const { finished } = ended(profile, sinceS, running)
      return {
        running: running.length,
        silent: running.filter(({ sessionId }) => (chat.activityOf(sessionId)?.silentMs ?? 0) >= silentAfterMs).length,
        waiting: waiting(profile).length,
        queued: rows.queued(profile) + rows.queuedMessages(profile),
        ended: finished.length,
        failed: finished.filter(({ turn }) => stateOf(turn) === 'failed').length
      }
    },

    /** Returns a profile's overview, with credentials masked. */
    read (profile: string): HomeWire {
      const nowS = epochSeconds(options.clock)
      const seenS = seen.at(profile)
      const running = rows.running({ profile, most: mostShown })
      const { runs, finished: found } = ended(profile, seenS ?? nowS - firstLookS, running)
      const finished = found.map(({ turn, filesChanged, jobId }): FinishedWire => {
        // The stored answer is already masked, if it should be.
        const answer = rows.answerOf(turn, isMasked())
        return {
          session_id: turn.sessionId,
          title: shown(turn.title),
          finished_at: Math.floor(turn.finishedAt),
          excerpt: excerptOf(withoutDemoNotice(answer?.text ?? ''), excerptChars),
          files_changed: filesChanged,
          state: stateOf(turn),
          source: turn.source === 'cron' ? 'task' : 'chat',
          problem: answer === undefined ? null : problemOf(answer),
          ...(jobId === undefined ? {} : { job_id: jobId })
        }
      })
      const next = rows.nextRun(profile)
      return {
        seen_at: wholeOrNull(seenS),
        now: Math.floor(nowS),
        finished,
        files_changed: finished.reduce((sum, { files_changed: count }) => sum + count, 0),
        running: running.map(({ sessionId, title, startedAt, doing, limitOf, resumesAt, problem }) => ({
          session_id: sessionId, title: shown(title), started_at: Math.floor(startedAt),
          note: doing === null ? null : excerptOf(shown(doing), excerptChars),
          silent: silence(sessionId),
          parked: limitOf === null ? null : { provider: limitOf, resumes_at: wholeOrNull(resumesAt), problem }
        })),
        waiting: waiting(profile),
        queued: rows.queued(profile),
        queues: rows.queues({ profile, nowS, most: mostShown }).map(({ sessionId, title, count, notBefore }) => ({
          session_id: sessionId, title: shown(title), count, held: heldOf(sessionId), not_before: wholeOrNull(notBefore)
        })),
        next_run: next === undefined ? null : { job_id: next.jobId, name: shown(next.name), at: Math.floor(next.atS) },
        failed_runs: shown(failedOf(runs))
      }
    }
  }
}

export type Home = ReturnType<typeof createHome>

interface Finished { turn: FinishedTurn, filesChanged: number, jobId?: string }

/**
 * Returns an entry for each chat that is not working again, and for each job: its last turn, and the number of files that all its turns
 * have changed.
 */
function finishedOf (turns: FinishedTurn[], running: RunningTurn[], runs: JobRun[]): Finished[] {
  const jobs = new Map(runs.map(({ streamId, jobId }) => [streamId, jobId]))
  const busy = new Set(running.map(({ sessionId }) => sessionId))
  const found = new Map<string, Finished>()
  for (const turn of turns) {
    if (busy.has(turn.sessionId)) continue
    const jobId = jobs.get(turn.streamId)
    const key = jobId ?? turn.sessionId
    const known = found.get(key)
    if (known !== undefined) known.filesChanged += turn.filesChanged
    else if (found.size < mostShown) found.set(key, { turn, filesChanged: turn.filesChanged, ...(jobId === undefined ? {} : { jobId }) })
  }
  return [...found.values()]
}

/** Returns the error that a turn ended with; null for an answer. */
function problemOf ({ text, isError, provider, model }: Answer): FinishedWire['problem'] {
  if (isError !== 1) return null
  return { ...storedError(text), ...provider !== null && { about: { provider, ...model !== null && { model } } } }
}

function stateOf ({ terminalState }: FinishedTurn): FinishedWire['state'] {
  if (answered.has(terminalState)) return 'done'
  return terminalState === 'interrupted-by-user' ? 'stopped' : 'failed'
}

/** Returns the last failed run of each job. */
function failedOf (runs: JobRun[]): HomeWire['failed_runs'] {
  const failed = new Map<string, HomeWire['failed_runs'][number]>()
  for (const { jobId, name, status, error, endedAt } of runs) {
    if (status === 'ok' || endedAt === null || failed.has(jobId) || failed.size >= mostShown) continue
    failed.set(jobId, { job_id: jobId, name, at: Math.floor(endedAt), error: error ?? '' })
  }
  return [...failed.values()]
}

const wholeOrNull = (seconds: number | null): number | null => seconds === null ? null : Math.floor(seconds)
