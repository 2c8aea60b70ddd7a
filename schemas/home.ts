import { Type } from '@sinclair/typebox'
import { Budgets } from './budgets.js'
import { Closed, Maybe, Nullable, OneOf } from './common.js'
import { feedFrames } from './feed.js'
import { Silent } from './home-parts.js'
import { ModelsReply, ReasoningReply } from './models.js'
import { ProjectList } from './projects.js'
import { Yolo } from './prompts.js'
import { Held } from './queue.js'
import { SessionAnswer } from './sessions.js'
import { ErrorAbout } from './sessions-messages.js'
import { TranscribeCapability } from './voice.js'

const Parked = Closed({
  provider: Type.String({ description: 'display name of the provider' }),
  resumes_at: Nullable(Type.Integer(), 'epoch seconds; null: it asks a person how to continue'),
  problem: Nullable(Type.String(), 'why it could not continue at that time; null: the limit is the only reason')
})

const At = (description = 'epoch seconds') => Type.Integer({ description })

export const Home = Closed({
  seen_at: Nullable(At('epoch seconds: when someone last looked, on any device; null: never')),
  now: At(),
  finished: Type.Array(Closed({
    session_id: Type.String(),
    title: Type.String(),
    finished_at: At(),
    excerpt: Type.String({ description: 'the beginning of the last answer, as plain text; empty: no answer' }),
    files_changed: Type.Integer({ minimum: 0, description: 'how many files its turns changed since seen_at' }),
    state: OneOf(['done', 'failed', 'stopped'], 'how the last turn ended'),
    source: OneOf(['chat', 'task'], 'task: a run of a scheduled job'),
    problem: Nullable(Closed({
      type: Nullable(Type.String(), 'as in the apperror frame; null: another error'),
      message: Type.String({ description: 'why it failed' }),
      about: Type.Optional(ErrorAbout)
    }), 'the error that the turn ended with; null: it ended with an answer, or without one'),
    job_id: Type.Optional(Type.String({ description: 'the job of a task, unless it was deleted' }))
  }), {
    description: 'the last turn of each chat and scheduled job that ended after seen_at (null: in the last 24 hours); newest first, at ' +
      'most 50. Chats in which another turn is running are in running'
  }),
  files_changed: Type.Integer({ minimum: 0, description: 'how many files all of finished have changed' }),
  running: Type.Array(Closed({
    session_id: Type.String(), title: Type.String(), started_at: At(),
    note: Nullable(Type.String(), 'the entry of the to-do list that is in progress'),
    silent: Nullable(Silent, 'null: the turn was active within the last ten minutes'),
    parked: Nullable(Parked, 'the turn waits for the limit of this provider; null: it does not')
  }), { description: 'running turns, including those that wait for an answer; newest first, at most 50' }),
  waiting: Type.Array(Closed({
    id: Type.String({ description: 'approval_id, clarify_id, or stream_id of a turn at a limit' }),
    session_id: Type.String(), title: Type.String(),
    kind: OneOf(['approval', 'question', 'limit'], 'limit: a turn asks how to continue; decide with POST /api/chat/resume or /api/chat/cancel'),
    since: At(), expires_at: Nullable(Type.Integer(), 'epoch seconds; null: it never expires'), parked: Type.Optional(Parked)
  }), { description: 'approvals, questions and turns at a limit that wait for a person, oldest first, at most 50' }),
  queued: Type.Integer({ minimum: 0, description: 'how many runs of jobs and background tasks wait to start; messages are in queues' }),
  queues: Type.Array(Closed({
    session_id: Type.String(), title: Type.String(), count: Type.Integer({ minimum: 1 }), held: Held,
    not_before: Nullable(Type.Integer(), 'epoch seconds, in the future: when the next one may start; null: the next one waits for no time')
  }), { description: 'chats with queued messages, newest first, at most 50' }),
  next_run: Nullable(Closed({ job_id: Type.String(), name: Type.String(), at: At() }), 'the next run of a scheduled job'),
  failed_runs: Type.Array(Closed({
    job_id: Type.String(), name: Type.String(), at: At(), error: Type.String({ description: 'why it failed; empty: unknown' })
  }), {
    description: 'the last failed run of each job since seen_at, newest first, at most 50; runs that had a turn are in finished as well'
  })
}, { title: 'Home' })

export const SeenBody = Type.Object({ at: Maybe(Type.Integer({ minimum: 0, description: 'epoch seconds; default: now' })) })
export const Seen = Closed({ ok: Type.Literal(true), seen_at: At('epoch seconds: the time up to which everything counts as seen') })

export const StartQuery = Type.Object({
  session_id: Type.Optional(Type.String({ maxLength: 200, description: 'the session that is shown first; empty: none' }))
})
export const Start = Closed({
  cursor: Type.String({ description: 'value for after_event_id of GET /api/events, to continue after snapshot' }),
  snapshot: Nullable(feedFrames.snapshot, 'the first frame of GET /api/events'),
  session: Nullable(SessionAnswer, 'the answer of GET /api/session?messages=1&msg_limit=50; null without a session_id'),
  projects: Nullable(ProjectList, 'the answer of GET /api/projects, without the instructions of projects'),
  models: Nullable(ModelsReply, 'the answer of GET /api/models'),
  reasoning: Nullable(ReasoningReply, 'the answer of GET /api/reasoning'),
  home: Nullable(Home, 'the answer of GET /api/home'),
  transcription: Nullable(TranscribeCapability, 'the answer of GET /api/transcribe/capability'),
  budgets: Nullable(Budgets, 'the answer of GET /api/budgets for the session; null without a session_id'),
  yolo: Nullable(Yolo, 'the answer of GET /api/session/yolo; null without a session_id')
}, { title: 'Start', description: 'what a client needs at its start; a part is null if it is not available at once' })
