import { type Static } from '@sinclair/typebox'
import { type Home as HomeSchema } from '../../../schemas/home.js'
import { epochSeconds } from '../../ground/clock.js'
import { excerptOf, type Sessions } from '../sessions/index.js'
import { createHomeRows, type FinishedTurn, type JobRun, type RunningTurn } from './rows.js'
import { createSeen, type SeenOptions } from './seen.js'

export interface HomeOptions extends SeenOptions {
  sessions: Pick<Sessions, 'isMasked' | 'shown'>
}

type HomeWire = Static<typeof HomeSchema>
type FinishedWire = HomeWire['finished'][number]

/** What is looked at when nobody has looked before. */
const firstLookS = 24 * 3600
/** Entries of each list. */
const mostShown = 50
/** Turns, and runs of jobs, that are looked at for them: one chat may have had many. */
const mostRead = 400
const excerptChars = 160

/** How a turn ends that has answered. */
const answered = new Set<string | null>(['completed', 'tool_limit_reached', 'budget_exhausted'])

/** What happened since somebody looked last, what goes on, and what comes next. */
export function createHome ({ sessions: { isMasked, shown }, ...options }: HomeOptions) {
  const rows = createHomeRows(options.db)
  const seen = createSeen(options)

  return {
    /** Epoch seconds; null: nobody has looked yet. */
    seenAt: (profile: string): number | null => wholeOrNull(seen.at(profile)),
    /** See createSeen. */
    look: async (profile: string, atS?: number): Promise<number> => Math.floor(await seen.look(profile, atS)),
    forget: seen.forget,

    /** As a profile is shown it, with credentials masked. */
    read (profile: string): HomeWire {
      const nowS = epochSeconds(options.clock)
      const seenS = seen.at(profile)
      const since = { profile, sinceS: seenS ?? nowS - firstLookS, most: mostRead }
      const running = rows.running({ profile, most: mostShown })
      const runs = rows.runs(since)
      const finished = finishedOf(rows.finished(since), running, [...rows.openRuns(profile), ...runs])
        .map(({ turn, filesChanged, jobId }): FinishedWire => ({
          session_id: turn.sessionId,
          title: shown(turn.title),
          finished_at: Math.floor(turn.finishedAt),
          // What is stored of an answer is masked already, where it is to be.
          excerpt: excerptOf(rows.answerOf(turn, isMasked()), excerptChars),
          files_changed: filesChanged,
          state: stateOf(turn),
          source: turn.source === 'cron' ? 'task' : 'chat',
          ...(jobId === undefined ? {} : { job_id: jobId })
        }))
      const next = rows.nextRun(profile)
      return {
        seen_at: wholeOrNull(seenS),
        now: Math.floor(nowS),
        finished,
        files_changed: finished.reduce((sum, { files_changed: count }) => sum + count, 0),
        running: running.map(({ sessionId, title, startedAt, doing }) => ({
          session_id: sessionId, title: shown(title), started_at: Math.floor(startedAt),
          note: doing === null ? null : excerptOf(shown(doing), excerptChars)
        })),
        queued: rows.queued(profile),
        queues: rows.queues({ profile, most: mostShown }).map(({ sessionId, title, count, heldReason, notBefore }) => ({
          session_id: sessionId, title: shown(title), count, held: heldReason === null ? null : { reason: heldReason },
          not_before: wholeOrNull(notBefore)
        })),
        next_run: next === undefined ? null : { job_id: next.jobId, name: shown(next.name), at: Math.floor(next.atS) },
        failed_runs: shown(failedOf(runs))
      }
    }
  }
}

export type Home = ReturnType<typeof createHome>

interface Finished { turn: FinishedTurn, filesChanged: number, jobId?: string }

/** One for each chat that does not work again, and for each job: its last turn, and the files that all of its turns have changed. */
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

function stateOf ({ terminalState }: FinishedTurn): FinishedWire['state'] {
  if (answered.has(terminalState)) return 'done'
  return terminalState === 'interrupted-by-user' ? 'stopped' : 'failed'
}

/** The last failed run of each job. */
function failedOf (runs: JobRun[]): HomeWire['failed_runs'] {
  const failed = new Map<string, HomeWire['failed_runs'][number]>()
  for (const { jobId, name, status, error, endedAt } of runs) {
    if (status === 'ok' || endedAt === null || failed.has(jobId) || failed.size >= mostShown) continue
    failed.set(jobId, { job_id: jobId, name, at: Math.floor(endedAt), error: error ?? '' })
  }
  return [...failed.values()]
}

const wholeOrNull = (seconds: number | null): number | null => seconds === null ? null : Math.floor(seconds)
