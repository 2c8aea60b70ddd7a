import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable, OneOf, Seconds } from './common.js'

const wishes = {
  approvals: 'something waits to be allowed',
  questions: 'the agent asks something',
  finished_turns: 'a turn ends that nobody watches',
  finished_jobs: 'a run of a scheduled job ends'
}
const Preferences = Closed({
  approvals: Type.Boolean({ description: wishes.approvals }),
  questions: Type.Boolean({ description: wishes.questions }),
  finished_turns: Type.Boolean({ description: wishes.finished_turns }),
  finished_jobs: Type.Boolean({ description: wishes.finished_jobs })
}, { title: 'PushPreferences' })

export const PushSubscription = Closed({
  id: Type.String({ description: 'the first 32 hex digits of the SHA-256 of its endpoint, so that a browser finds itself' }),
  service: Type.String({ description: 'the host of the push service' }),
  user_agent: Nullable(Type.String(), 'what the browser calls itself'),
  preferences: Preferences,
  created_at: Seconds(),
  last_sent_at: Nullable(Type.Number(), 'when the push service took a message last; epoch seconds'),
  last_error: Nullable(Type.String(), 'why the last attempt failed')
}, { title: 'PushSubscription', description: 'A browser that is told what happens while nobody looks' })

export const PushStatus = Closed({
  available: Type.Boolean({ description: 'whether browsers can subscribe' }),
  reason: Nullable(Type.String(), 'why not'),
  public_key: Nullable(Type.String(), 'applicationServerKey, base64url'),
  limit: Type.Integer({ description: 'so many browsers at most' }),
  subscriptions: Type.Array(PushSubscription)
}, { title: 'PushStatus' })

const base64url = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
export const Subscribe = Type.Object({
  endpoint: Type.String({ minLength: 1, maxLength: 2_000, description: 'https://…, as the browser was given it' }),
  keys: Type.Object({ p256dh: base64url('the browser\'s public key'), auth: base64url('16 bytes') }),
  preferences: Maybe(Type.Object(Object.fromEntries(
    Object.entries(wishes).map(([name, description]) => [name, Maybe(Type.Boolean({ description }))])
  ) as Record<keyof typeof wishes, ReturnType<typeof Maybe<ReturnType<typeof Type.Boolean>>>>, {
    description: 'what it wants to hear of; absent: as before, at first all'
  }))
})
export const SubscribeAnswer = Closed({ ok: Type.Literal(true), subscription: PushSubscription }, { title: 'SubscribeAnswer' })
export const Unsubscribe = Type.Object({
  endpoint: Maybe(Type.String({ minLength: 1, maxLength: 2_000, description: 'of the browser that is to be told no more' })),
  id: Maybe(Type.String({ minLength: 1, maxLength: 64, description: 'in the place of the endpoint' }))
})
export const UnsubscribeAnswer = Closed({ ok: Type.Literal(true), id: Type.String() }, { title: 'UnsubscribeAnswer' })

/** What a browser gets, encrypted; declared so that clients know it. */
export const PushPayload = Closed({
  kind: OneOf(['approval', 'question', 'turn', 'job']),
  title: Type.String({ description: 'of the conversation or the job; credentials masked' }),
  profile: Type.String(),
  session_id: Nullable(Type.String()),
  prompt_id: Type.Optional(Type.String({ description: 'the card that waits: approval_id or clarify_id' })),
  job_id: Type.Optional(Type.String()),
  status: Type.Optional(Type.String({ description: 'how a turn or a run ended' })),
  tag: Type.String({ description: 'a later message with the same tag takes the place of this one' }),
  at: Seconds()
}, { title: 'PushPayload' })
