import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'
import { WireReason } from './reasons.js'

const JobFacts = Closed({
  name: Type.String(),
  kind: OneOf(['cron', 'interval', 'once', 'hook']),
  schedule: Type.String({ description: 'as it was typed' }),
  words: Type.Optional(Type.String({ description: 'the schedule in English; absent: it has no words' })),
  zone: Type.String({ description: 'time zone of the schedule' }),
  next_runs: Type.Array(Type.String(), { description: 'the next times, at most three, ISO 8601; empty unless the job is on' }),
  state: OneOf(['scheduled', 'paused', 'completed', 'error']),
  deliver: Type.String({ description: 'where results go' }),
  model: Type.Optional(Type.String({ description: 'absent: the default model' })),
  skills: Type.Optional(Type.Array(Type.String())),
  workspace: Type.Optional(Type.String({ description: 'absent: the default workspace' })),
  ask: OneOf(['deny', 'wait'], 'what becomes of its questions'),
  prompt: Type.String()
}, { title: 'JobFacts', description: 'A scheduled job, as it is or would be' })

const JobChange = Closed({
  action: OneOf(['create', 'update', 'pause', 'resume', 'remove']),
  name: Type.String(),
  before: Type.Optional(JobFacts),
  after: Type.Optional(JobFacts),
  prompt_diff: Type.Optional(Type.String({ description: 'the unified diff of its prompts; absent: there are no two, or they are the same' }))
}, {
  title: 'JobChange',
  description: 'For a change of a scheduled job: what `diff` says as text. Without `before` the job is new, without `after` it is removed. ' +
    'Both are absent if `diff` is too long for a card'
})

/**
 * What a call would do, as far as it was known before the question. Approvals have these keys, and so does the frame `tool` of a call that
 * needs permission, where credentials are masked.
 */
export const foresight = {
  file: Type.Optional(Type.String({ description: 'for a file change: its path, relative to the workspace if it lies inside' })),
  diff: Type.Optional(Type.String({ description: 'for a file change: its unified diff, at most 12,000 characters' })),
  diff_truncated: Type.Optional(Type.Boolean()),
  job_change: Type.Optional(JobChange),
  diff_note: Type.Optional(Type.String({ description: 'why the diff is missing' })),
  diff_note_reason: Type.Optional(WireReason),
  command_parts: Type.Optional(Type.Array(Closed({ program: Type.String(), args: Type.Array(Type.String()) }), {
    description: 'for a command: the programs that it runs, as far as known; … stands for what is only known at run time'
  })),
  command_parts_truncated: Type.Optional(Type.Boolean()),
  folder: Type.Optional(Type.String({ description: 'for a command: its working directory' })),
  sandboxed: Type.Optional(Type.Boolean({
    description: 'for a command: it runs in the sandbox, or within the limits named by `limited_by`'
  })),
  limited_by: Type.Optional(Type.Literal('container', {
    description: 'for a command with `sandboxed`: it has no sandbox of its own; the container of the service limits it, and it uses the ' +
      'network of the container'
  })),
  request: Type.Optional(Closed({
    method: Type.String(), scheme: Type.String(), host: Type.String(), path: Type.String({ description: 'path with query' })
  }, { description: 'for a network request: its address' }))
}

const rest = Type.Optional(Type.Array(Closed({
  field: Type.String({ description: 'the key of the text' }),
  at: Type.Integer({ description: 'where the rest begins: send it as `at` of `GET /api/approval/text`' }),
  chars: Type.Integer({ description: 'how many characters are missing here' })
}), { description: 'texts that are cut off here' }))

const FieldMask = Closed({
  field: Type.String({ description: 'the key of the text' }),
  start: Type.Integer({ description: 'in UTF-16 code units' }),
  end: Type.Integer({ description: 'exclusive end, in UTF-16 code units' }),
  hidden: Type.Optional(Type.Integer({ description: 'present if `[redacted]` replaces a secret of the service: its length in characters' }))
})
const masks = Type.Optional(Type.Array(FieldMask, {
  description: 'ranges of the texts that look like credentials. With `hidden`, the range is masked. Without it, the text is visible; a ' +
    'client may hide it behind a single tap'
}))

export const PendingApproval = Closed({
  approval_id: Type.String(),
  session_id: Type.String(),
  command: Type.String({
    description: 'what would be done, at most 33,000 characters: a command line, or a line that describes the call, ' +
      'followed by `diff` or `content`'
  }),
  description: Type.String({ description: 'what would be done, and what to consider, in English' }),
  reasons: Type.Optional(Type.Array(WireReason, {
    description: 'the sentences of `description` as codes, for clients in other languages; masked like `description`'
  })),
  pattern_key: Type.String(),
  pattern_keys: Type.Array(Type.String()),
  max_scope: Type.String({ description: 'the widest choice that is allowed: once, session or always' }),
  content: Type.Optional(Type.String({
    description: 'content that the call would write or send, at most 12,000 characters; absent: `command` has all of it'
  })),
  content_truncated: Type.Optional(Type.Boolean()),
  ...foresight,
  budget: Type.Optional(Type.Array(Closed({
    scope: OneOf(['turn', 'session', 'attempts', 'job', 'day']), measure: OneOf(['usd', 'tokens']), used: Type.Number(), limit: Type.Number(),
    up_to: Type.Number({ description: 'the limit that the choice `once` would set' })
  }), { description: 'used-up budget limits: the turn waits before its next model call' })),
  masks,
  rest,
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: 'seconds; 0: no limit' }),
  expires_at: Seconds('epoch seconds; 0: never')
}, {
  title: 'PendingApproval',
  description: 'Clients that may answer see everything that would be done, except for masked secrets of the service. For tokens without ' +
    'the scope `approve`, everything that looks like a credential is masked.'
})
const FormValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())])
const FormField = Closed({
  name: Type.String({ description: 'the key of its value in the answer' }),
  type: OneOf(['string', 'number', 'integer', 'boolean', 'array'], 'array: several of `options`; the value is an array of their values'),
  title: Type.String(),
  description: Type.String(),
  required: Type.Boolean(),
  options: Type.Optional(
    Type.Array(Closed({ value: Type.String({ description: 'the value of the answer' }), title: Type.String({ description: 'the label of the option' }) }))
  ),
  default: Type.Optional(FormValue),
  format: Type.Optional(OneOf(['email', 'uri', 'date', 'date-time'])),
  min: Type.Optional(Type.Number({ description: 'minimum of a number, of the length of a text, or of the count of chosen options' })),
  max: Type.Optional(Type.Number({ description: 'maximum, for the same things as min' }))
}, { title: 'FormField' })

export const PendingClarification = Closed({
  clarify_id: Type.String(),
  session_id: Type.String(),
  question: Type.String(),
  choices_offered: Type.Array(Type.String()),
  kind: Type.String(),
  form: Type.Optional(Closed({ message: Type.String(), fields: Type.Array(FormField) }, {
    description: 'a form, answered as a whole; `question` describes it as text, for clients without forms'
  })),
  link: Type.Optional(Closed({
    host: Type.String({ description: 'host of the link: show it beside the link, so that the person can judge it' }),
    url: Nullable(Type.String(), 'null for tokens without the scope `approve`, because the address may contain a secret')
  }, {
    description: 'a page that the person is asked to open; never open it ' +
      'automatically. `question` names it without its query and fragment'
  })),
  masks,
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: 'seconds; 0: no limit' }),
  expires_at: Nullable(Type.Number(), 'epoch seconds; 0: never; null: not counting yet, because no client is connected')
}, { title: 'PendingClarification' })
export const ApprovalPending = Closed({ pending: Nullable(PendingApproval), pending_count: Type.Integer() }, { title: 'ApprovalPending' })
export const ClarifyPending = Closed({
  pending: Nullable(PendingClarification), pending_count: Type.Integer()
}, { title: 'ClarifyPending' })

const inSession = { session_title: Type.String(), profile: Type.String() }
export const OpenPrompts = Closed({
  prompts: Type.Array(Type.Union([
    Closed({ type: Type.Literal('approval'), ...inSession, ...PendingApproval.properties }, { title: 'OpenApproval' }),
    Closed({ type: Type.Literal('clarify'), ...inSession, ...PendingClarification.properties }, { title: 'OpenQuestion' })
  ]), { description: 'oldest first' }),
  approval_count: Type.Integer(),
  clarify_count: Type.Integer()
}, { title: 'OpenPrompts' })

export const ApprovalTextQuery = Type.Object({
  session_id: Id('session'),
  approval_id: Id('approval'),
  field: OneOf(['command', 'content', 'diff']),
  at: Type.String({ pattern: '^\\d{1,9}$', description: 'where the page begins: `at` of `rest`, or `next` of the previous page' })
})
export const ApprovalText = Closed({
  text: Type.String({ description: 'at most 32,000 characters' }),
  masks: Type.Array(FieldMask),
  next: Nullable(Type.Integer(), 'where the next page begins; null on the last page'),
  left: Type.Integer({ description: 'how many characters follow this page' })
}, { title: 'ApprovalText' })

export const ApprovalRespond = Type.Object({
  session_id: Id('session'),
  choice: OneOf(['once', 'session', 'always', 'deny'], 'once, session, always or deny'),
  approval_id: Type.Optional(Type.String())
})
export const ApprovalAnswer = Closed({
  ok: Type.Boolean(),
  choice: Type.String(),
  stale_cleared: Type.Optional(Type.Boolean()),
  relayed: Type.Optional(Type.Boolean({ description: 'the turn runs on another machine, which got the answer' }))
}, { title: 'ApprovalAnswer' })

const Answer = Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown({ description: 'the value of the field' }))], {
  description: 'at most 64 KiB. For a form: an object of values by field name, or a text: the value of its only field, or a line ' +
    '`name: value` for each field'
})
export const ClarifyRespond = Type.Object({
  session_id: Id('session'),
  response: Type.Optional(Answer),
  answer: Type.Optional(Answer),
  choice: Type.Optional(Answer),
  decline: Type.Optional(Type.Boolean({ description: 'declines the form; `response` is ignored then' })),
  clarify_id: Type.Optional(Type.String())
})
export const ClarifyAnswer = Closed({
  ok: Type.Boolean(),
  response: Answer,
  relayed: Type.Optional(Type.Boolean({ description: 'the turn runs on another machine, which got the answer' }))
}, { title: 'ClarifyAnswer' })

export const Yolo = Closed({ yolo_enabled: Type.Boolean() }, { title: 'Yolo' })
export const SetYolo = Type.Object({ session_id: Id('session'), enabled: Type.Optional(Type.Boolean({ default: true })) })
export const YoloSet = Closed({ ok: Type.Boolean(), yolo_enabled: Type.Boolean() }, { title: 'YoloSet' })

/** Frames on the streams of a session's approvals and questions: the first open one, whenever it changes. */
export const approvalFrames = { initial: ApprovalPending, approval: ApprovalPending }
export const questionFrames = { initial: ClarifyPending, clarify: ClarifyPending }
