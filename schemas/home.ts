import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable, OneOf } from './common.js'
import { feedFrames } from './feed.js'
import { Silent } from './home-parts.js'
import { ModelsReply, ReasoningReply } from './models.js'
import { ProjectList } from './projects.js'
import { Held } from './queue.js'
import { SessionAnswer } from './sessions.js'

const At = (description = 'epoch seconds') => Type.Integer({ description })

export const Home = Closed({
  seen_at: Nullable(At('when somebody last looked, on any device')),
  now: At(),
  finished: Type.Array(Closed({
    session_id: Type.String(),
    title: Type.String(),
    finished_at: At(),
    excerpt: Type.String({ description: 'how the last answer begins, as plain text; empty if nothing was said' }),
    files_changed: Type.Integer({ minimum: 0, description: 'by its turns since seen_at' }),
    state: OneOf(['done', 'failed', 'stopped'], 'how the last turn ended'),
    source: OneOf(['chat', 'task'], 'task: a run of a scheduled job'),
    job_id: Type.Optional(Type.String({ description: 'the job of a task, unless it was deleted' }))
  }), {
    description: 'turns that ended after seen_at, or in the last 24 hours if that is null; latest first, at most 50; the last turn of each chat, and of each scheduled job. A chat that works again is in running'
  }),
  files_changed: Type.Integer({ minimum: 0, description: 'of all in finished' }),
  running: Type.Array(Closed({
    session_id: Type.String(), title: Type.String(), started_at: At(),
    note: Nullable(Type.String(), 'what the agent\'s list of things to do names as being done'),
    silent: Nullable(Silent, 'null: it has said something in the last ten minutes'),
    parked: Nullable(Closed({
      provider: Type.String({ description: 'as people know it' }),
      resumes_at: Nullable(Type.Integer(), 'epoch seconds; null: it asks whether to go on'),
      problem: Nullable(Type.String(), 'why it could not go on when its time came; null: it is the limit')
    }), 'the limit of a provider that it waits for')
  }), { description: 'turns under way, also those that wait for an answer; latest first, at most 50' }),
  waiting: Type.Array(Closed({
    id: Type.String({ description: 'approval_id or clarify_id' }),
    session_id: Type.String(), title: Type.String(), kind: OneOf(['approval', 'question']),
    since: At(), expires_at: Nullable(Type.Integer(), 'epoch seconds; null: it waits without end')
  }), { description: 'what waits for a person, oldest first, at most 50' }),
  queued: Type.Integer({ minimum: 0, description: 'runs of jobs, and background tasks, that wait to begin' }),
  queues: Type.Array(Closed({
    session_id: Type.String(), title: Type.String(), count: Type.Integer({ minimum: 1 }), held: Held,
    not_before: Nullable(Type.Integer(), 'epoch seconds, if one of them waits for a time')
  }), { description: 'chats in which messages wait for the turns before them, latest first, at most 50' }),
  next_run: Nullable(Closed({ job_id: Type.String(), name: Type.String(), at: At() }), 'of the scheduled jobs'),
  failed_runs: Type.Array(Closed({
    job_id: Type.String(), name: Type.String(), at: At(), error: Type.String({ description: 'empty if it is not known' })
  }), {
    description: 'the last failed run of each job since seen_at, latest first, at most 50; one that had a turn is in finished as well'
  })
}, { title: 'Home' })

export const SeenBody = Type.Object({ at: Maybe(Type.Integer({ minimum: 0, description: 'epoch seconds; default: now' })) })
export const Seen = Closed({ ok: Type.Literal(true), seen_at: At('an earlier one than before changes nothing') })

export const StartQuery = Type.Object({
  session_id: Type.Optional(Type.String({ maxLength: 200, description: 'the session that is shown first; empty: none' }))
})
export const Start = Closed({
  cursor: Type.String({ description: 'where GET /api/events goes on after snapshot (after_event_id)' }),
  snapshot: Nullable(feedFrames.snapshot, 'the first frame of GET /api/events'),
  session: Nullable(SessionAnswer, 'as GET /api/session?messages=1&msg_limit=50 answers it; null without a session_id'),
  projects: Nullable(ProjectList, 'as GET /api/projects answers it'),
  models: Nullable(ModelsReply, 'as GET /api/models answers it'),
  reasoning: Nullable(ReasoningReply, 'as GET /api/reasoning answers it'),
  home: Nullable(Home, 'as GET /api/home answers it')
}, { title: 'Start', description: 'what a client needs at its start; a part is null if it is not there at once' })
