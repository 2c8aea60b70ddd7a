import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { budgetAskForm } from './budget-ask.js'
import { jobChangeForm } from './job-change.js'
import { modelRefForm } from './model-ref.js'
import { mostPlanChars } from './plan-steps.js'

/** A change of a memory document, which the agent sees in each conversation. */
export const memoryEditForm = {
  action: Type.Union([Type.Literal('add'), Type.Literal('replace'), Type.Literal('remove')], {
    description: 'add: a new entry at the end; replace: old_text by text, or without old_text the whole; remove: old_text.'
  }),
  section: Type.Union([Type.Literal('memory'), Type.Literal('user')], {
    description: 'memory: your working notes; user: what you know about the user.'
  }),
  text: Type.Optional(Type.String({ maxLength: 4_000, description: 'What is to stand there, in a sentence or two.' })),
  old_text: Type.Optional(Type.String({
    minLength: 1, maxLength: 20_000, description: 'The passage that is meant, exactly as it stands there, and only once.'
  }))
}

/** A change of the profile's scheduled jobs. */
export const scheduleChangeForm = {
  action: Type.Union((['create', 'update', 'pause', 'resume', 'remove'] as const).map((action) => Type.Literal(action)), {
    description: 'What to do.'
  }),
  job_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The job; not for create.' })),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'A short name.' })),
  prompt: Type.Optional(Type.String({
    minLength: 1, maxLength: 20_000, description: 'What to do at each of its times, in full: a run knows nothing of this conversation.'
  })),
  schedule: Type.Optional(Type.String({
    minLength: 1, maxLength: 200,
    description: 'every day at 9am; weekdays 9:30; every other tuesday at 7; every 30m; 0 9 * * 1-5; in 20 minutes; 2030-01-31T09:00.'
  })),
  deliver: Type.Optional(Type.Union([Type.Literal('local'), Type.Literal('origin'), Type.Literal('push')], {
    description: 'Where results go: origin: into this conversation (the default for new jobs); push: to the user\'s devices; local: they are only kept.'
  }))
}

const modelName = Type.Object({ provider: Type.String(), id: Type.String() })

const nullableText = Type.Union([Type.String(), Type.Null()])
/** The result of a tool. */
const said = Type.Object({ text: Type.String(), isError: Type.Boolean() })

/**
 * Requests of a run to the web tier, by kind, with the forms of request and answer. A new kind needs one entry here, and an `agent.serve`
 * where it is answered. Both tiers check what they receive against these forms.
 */
export const runRequests = {
  /** Asks whether a model may be called (again). Null: yes. Otherwise a hard limit is used up, and a person is asked with this. */
  budget: { body: Type.Object({}), answer: Type.Union([Type.Null(), budgetAskForm]) },
  /** Makes a checkpoint of a place, because the run is about to change files in it. */
  checkpoint: { body: Type.Object({ place: Type.String() }), answer: Type.Null() },
  /** Lets a sub-agent do a task for a call. */
  delegate: { body: Type.Object({ task: Type.String() }), answer: Type.Object({ text: Type.String(), isError: Type.Boolean() }) },
  /** Asks which model replaces those that were tried. Null: none. */
  fallback: { body: Type.Object({ tried: Type.Array(modelName, { maxItems: 16 }) }), answer: Type.Union([Type.Null(), modelRefForm]) },
  /** Previews a change of a memory document: its text before (null if it does not exist) and after. `version` identifies the former. */
  memory_text: {
    body: Type.Object(memoryEditForm),
    answer: Type.Union([
      Type.Object({ before: nullableText, after: Type.String(), version: Type.String() }), Type.Object({ problem: Type.String() })
    ])
  },
  /** Changes a memory document. `expected`: the version that a person was shown, and no other; null: any version. */
  memory_save: {
    body: Type.Object({ ...memoryEditForm, expected: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]) }), answer: said
  },
  /**
   * Saves the plan of the conversation. `version`: the one that it replaces; null: what the agent wrote last. `why`: a person has edited
   * the plan, so that it was not saved, or it has no steps.
   */
  plan_save: {
    body: Type.Object({ text: Type.String({ maxLength: mostPlanChars }), version: Type.Union([Type.Integer(), Type.Null()]) }),
    answer: Type.Object({ ...said.properties, why: Type.Optional(Type.Union([Type.Literal('edited'), Type.Literal('no_steps')])) })
  },
  /** Searches earlier conversations of the profile. Times are in epoch seconds. */
  session_search: {
    body: Type.Object({
      query: Type.String({ maxLength: 400 }), limit: Type.Integer({ minimum: 1, maximum: 20 }),
      since: Type.Union([Type.Number(), Type.Null()]), until: Type.Union([Type.Number(), Type.Null()])
    }),
    answer: Type.Array(Type.Object({
      sessionId: Type.String(), title: Type.String(), messageId: Type.String(), role: Type.String(), createdAt: Type.Number(),
      excerpt: Type.String()
    }), { maxItems: 20 })
  },
  /**
   * Asks which model does a small task for the answering one. Null: none. The name is from before these were called small tasks, and stays
   * because agents and services of different releases use it.
   */
  helper: {
    body: Type.Object({
      slot: Type.Union([Type.Literal('vision'), Type.Literal('web_extract'), Type.Literal('session_search')]), beside: modelName
    }), answer: Type.Union([Type.Null(), modelRefForm])
  },
  /** Lists the scheduled jobs of the profile. */
  schedule_list: { body: Type.Object({}), answer: said },
  /** Previews a change of a job, in words: before and after. `version` identifies the former. */
  schedule_text: {
    body: Type.Object(scheduleChangeForm),
    answer: Type.Union([Type.Object({
      path: Type.String(), before: nullableText, after: Type.String(), version: Type.String(), job: Type.Optional(jobChangeForm)
    }), Type.Object({ problem: Type.String() })])
  },
  /** Changes a job. `expected`: the version that a person was shown; null: any version. */
  schedule_save: {
    body: Type.Object({ ...scheduleChangeForm, expected: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]) }), answer: said
  },
  /** Reads a skill's document, or a file beside it; without a name, the list of skills. */
  skill_view: { body: Type.Object({ name: nullableText, file: nullableText }), answer: said },
  /**
   * Returns a skill's current text; null if the skill does not exist. `version` identifies this text, `path` is its place among the skills.
   * Returns a problem also if `added`, the text to be added, is not allowed, or if `whole`, what the skill would become, is not a skill.
   */
  skill_text: {
    body: Type.Object({
      name: Type.String(), category: nullableText, added: Type.Optional(Type.String()), whole: Type.Optional(Type.String())
    }),
    answer: Type.Union([
      Type.Object({ path: Type.String(), text: nullableText, version: Type.String() }), Type.Object({ problem: Type.String() })
    ])
  },
  /** Saves a skill, in place of the text that `expected` identifies. */
  skill_save: {
    body: Type.Object({ name: Type.String(), category: nullableText, content: Type.String(), expected: Type.String() }), answer: said
  }
} satisfies Record<string, { body: TSchema, answer: TSchema }>

/**
 * Requests whose effect outlives the run and influences others. A person is asked first, by the process of the run. A process on another
 * machine is not trusted to have asked, so these are refused to it.
 */
export const lasting: { readonly [what in 'memory' | 'schedule' | 'skill' as `${what}_save` | `${what}_text`]: string } = {
  memory_text: 'the memory', memory_save: 'the memory', schedule_text: 'scheduled jobs', schedule_save: 'scheduled jobs',
  skill_text: 'skills', skill_save: 'skills'
}

export type RequestKind = keyof typeof runRequests
export type RequestBody<K extends RequestKind> = Static<typeof runRequests[K]['body']>
export type RequestAnswer<K extends RequestKind> = Static<typeof runRequests[K]['answer']>

/** A request of any kind. The handler checks its body. */
export const runRequestForm = Type.Object({
  runId: Type.String(),
  generation: Type.Integer(),
  requestId: Type.String(),
  what: Type.String(),
  body: Type.Unknown(),
  /** How long the run waits for the answer; null = until it ends. */
  deadlineMs: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  /** Trace span of the call that asks, if the turn is traced. */
  span: Type.Optional(Type.String({ pattern: '^[0-9a-f]{16}$' }))
})
export type RunRequest<K extends RequestKind = RequestKind> = Omit<Static<typeof runRequestForm>, 'what' | 'body'> & {
  what: K
  body: RequestBody<K>
}

/**
 * Why a request has no answer. unserved: this kind has no handler; invalid: the request or its answer does not have the form of its kind;
 * busy: too many at once; failed: the handler failed; late: its time is up; lost: the request or its answer did not arrive.
 */
export type RequestFailure = Static<typeof failureForm>
const failureForm = Type.Object({
  code: Type.Unsafe<'unserved' | 'invalid' | 'busy' | 'failed' | 'late' | 'lost'>(Type.String()), message: Type.String()
})

export type Answered<K extends RequestKind> = { answer: RequestAnswer<K> } | { error: RequestFailure }

const asked = { requestId: Type.String(), runId: Type.String() }
/** A reply to a request of any kind. The run checks the answer. */
export type RunReply = Static<typeof runReplyForm>
export const runReplyForm = Type.Union([Type.Object({ ...asked, answer: Type.Unknown() }), Type.Object({ ...asked, error: failureForm })])
