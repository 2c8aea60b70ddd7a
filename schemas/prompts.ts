import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'

/**
 * What a call would do, as far as that could be found out before anybody was asked. Approvals have these keys, and the frame `tool` of a
 * call that asks, there with credentials masked.
 */
export const foresight = {
  file: Type.Optional(Type.String({ description: 'a change of a file: which, relative to the workspace if it lies there' })),
  diff: Type.Optional(Type.String({ description: 'its unified diff, at most 12,000 characters of it' })),
  diff_truncated: Type.Optional(Type.Boolean()),
  diff_note: Type.Optional(Type.String({ description: 'why there is no diff' })),
  command_parts: Type.Optional(Type.Array(Closed({ program: Type.String(), args: Type.Array(Type.String()) }), {
    description: 'a command: what it runs, as far as that can be told; … stands for what is only known then'
  })),
  command_parts_truncated: Type.Optional(Type.Boolean()),
  folder: Type.Optional(Type.String({ description: 'a command: where it starts' })),
  sandboxed: Type.Optional(Type.Boolean({ description: 'a command: it stays in the sandbox' })),
  request: Type.Optional(Closed({
    method: Type.String(), scheme: Type.String(), host: Type.String(), path: Type.String({ description: 'with its query' })
  }, { description: 'a request: to which address' }))
}

const rest = Type.Optional(Type.Array(Closed({
  field: Type.String({ description: 'the key of the text' }),
  at: Type.Integer({ description: 'where it goes on: `at` of `GET /api/approval/text`' }),
  chars: Type.Integer({ description: 'so many characters of it are not here' })
}), { description: 'texts that are longer than what is here' }))

const FieldMask = Closed({
  field: Type.String({ description: 'the key of the text' }),
  start: Type.Integer({ description: 'in UTF-16 units' }),
  end: Type.Integer({ description: 'the first unit behind it' }),
  hidden: Type.Optional(Type.Integer({
    description: 'here `[redacted]` stands for one of the service\'s own secrets, of so many characters'
  }))
})
const masks = Type.Optional(Type.Array(FieldMask, {
  description: 'places in the texts; without `hidden` the text there merely looks like a credential: it is not masked, and a client may fold it as long as one tap opens it'
}))

export const PendingApproval = Closed({
  approval_id: Type.String(),
  session_id: Type.String(),
  command: Type.String({
    description: 'what would be done, at most 33,000 characters of it: a command line, or a line that stands for the call, followed by `diff` or `content`'
  }),
  description: Type.String(),
  pattern_key: Type.String(),
  pattern_keys: Type.Array(Type.String()),
  max_scope: Type.String({ description: 'the widest choice that can be kept: once, session or always' }),
  content: Type.Optional(Type.String({
    description: 'what the call brings along, such as what a file would get, at most 12,000 characters of it; absent: `command` says all of it'
  })),
  content_truncated: Type.Optional(Type.Boolean()),
  ...foresight,
  budget: Type.Optional(Type.Array(Closed({
    scope: OneOf(['turn', 'session', 'job', 'day']), measure: OneOf(['usd', 'tokens']), used: Type.Number(), limit: Type.Number(),
    up_to: Type.Number({ description: 'how far `once` allows it' })
  }), { description: 'the limits that are used up: the turn waits before it calls its model again' })),
  masks,
  rest,
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: '0 = no limit' }),
  expires_at: Seconds('epoch seconds; 0 = never')
}, {
  title: 'PendingApproval',
  description: 'Nothing of what is going to be done is hidden from those who may answer: only the service\'s own secrets are masked. For tokens that may not approve, everything is that looks like a credential.'
})
const FormValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())])
const FormField = Closed({
  name: Type.String({ description: 'the key of its value in the answer' }),
  type: OneOf(['string', 'number', 'integer', 'boolean', 'array'], 'array: several of `options`, as an array of their values'),
  title: Type.String(),
  description: Type.String(),
  required: Type.Boolean(),
  options: Type.Optional(
    Type.Array(Closed({ value: Type.String({ description: 'what is answered' }), title: Type.String({ description: 'what is shown' }) }))
  ),
  default: Type.Optional(FormValue),
  format: Type.Optional(OneOf(['email', 'uri', 'date', 'date-time'])),
  min: Type.Optional(Type.Number({ description: 'the least: a number, characters of a text, or how many are chosen' })),
  max: Type.Optional(Type.Number({ description: 'the most' }))
}, { title: 'FormField' })

export const PendingClarification = Closed({
  clarify_id: Type.String(),
  session_id: Type.String(),
  question: Type.String(),
  choices_offered: Type.Array(Type.String()),
  kind: Type.String(),
  form: Type.Optional(Closed({ message: Type.String(), fields: Type.Array(FormField) }, {
    description: 'what is asked has fields, which are answered at once; `question` tells them in words, for clients that know no forms'
  })),
  masks,
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: '0 = no limit' }),
  expires_at: Nullable(Type.Number(), 'epoch seconds; 0 = never; null = no client is connected, so that its time has not begun')
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
  at: Type.String({ pattern: '^\\d{1,9}$', description: 'where the page begins, as `rest` or `next` says it' })
})
export const ApprovalText = Closed({
  text: Type.String({ description: 'at most 32,000 characters' }),
  masks: Type.Array(FieldMask),
  next: Nullable(Type.Integer(), 'where the next page begins; null: this is the last'),
  left: Type.Integer({ description: 'so many characters stand behind this page' })
}, { title: 'ApprovalText' })

export const ApprovalRespond = Type.Object({
  session_id: Id('session'),
  choice: Type.String({ enum: ['once', 'session', 'always', 'deny'], description: 'once, session, always or deny' }),
  approval_id: Type.Optional(Type.String())
})
export const ApprovalAnswer = Closed({
  ok: Type.Boolean(),
  choice: Type.String(),
  stale_cleared: Type.Optional(Type.Boolean()),
  relayed: Type.Optional(Type.Boolean({ description: 'the turn runs on another machine, which has the answer' }))
}, { title: 'ApprovalAnswer' })

const Answer = Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown({ description: 'the value of the field' }))], {
  description: 'at most 64 KiB; an object has the values of a form by the names of its fields, a text the value of its only field, or a line `name: value` for each'
})
export const ClarifyRespond = Type.Object({
  session_id: Id('session'),
  response: Type.Optional(Answer),
  answer: Type.Optional(Answer),
  choice: Type.Optional(Answer),
  decline: Type.Optional(Type.Boolean({ description: 'a form is declined: `response` does not count then' })),
  clarify_id: Type.Optional(Type.String())
})
export const ClarifyAnswer = Closed({
  ok: Type.Boolean(),
  response: Answer,
  relayed: Type.Optional(Type.Boolean({ description: 'the turn runs on another machine, which has the answer' }))
}, { title: 'ClarifyAnswer' })

export const Yolo = Closed({ yolo_enabled: Type.Boolean() }, { title: 'Yolo' })
export const SetYolo = Type.Object({ session_id: Id('session'), enabled: Type.Optional(Type.Boolean({ default: true })) })
export const YoloSet = Closed({ ok: Type.Boolean(), yolo_enabled: Type.Boolean() }, { title: 'YoloSet' })

/** On the streams of a session's approvals and questions: the one that waits first, whenever that changes. */
export const approvalFrames = { initial: ApprovalPending, approval: ApprovalPending }
export const questionFrames = { initial: ClarifyPending, clarify: ClarifyPending }
