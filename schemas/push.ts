import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable, OneOf, Seconds } from './common.js'

const wishes = {
  approvals: 'an approval waits',
  questions: 'a question waits',
  finished_turns: 'a turn ended that no client was watching',
  finished_jobs: 'a run of a scheduled job ended',
  pull_requests: 'a pull request that was opened here has news'
}
const Preferences = Closed({
  approvals: Type.Boolean({ description: wishes.approvals }),
  questions: Type.Boolean({ description: wishes.questions }),
  finished_turns: Type.Boolean({ description: wishes.finished_turns }),
  finished_jobs: Type.Boolean({ description: wishes.finished_jobs }),
  pull_requests: Type.Boolean({ description: wishes.pull_requests })
}, { title: 'PushPreferences' })

export const PushSubscription = Closed({
  id: Type.String({ description: 'the first 32 hex digits of the SHA-256 of its endpoint, by which a browser recognises itself' }),
  service: Type.String({ description: 'the host of the push service' }),
  user_agent: Nullable(Type.String(), 'name of the browser'),
  preferences: Preferences,
  created_at: Seconds(),
  last_sent_at: Nullable(Type.Number(), 'epoch seconds: when the push service last accepted a message; null: never'),
  last_error: Nullable(Type.String(), 'why the last attempt failed')
}, { title: 'PushSubscription', description: 'A browser that is subscribed to notifications' })

export const PushStatus = Closed({
  available: Type.Boolean({ description: 'whether browsers can subscribe' }),
  reason: Nullable(Type.String(), 'why browsers cannot subscribe; null: they can'),
  reason_code: Nullable(Type.String(), 'name of `reason`, for clients that show it in another language: `no_contact`, `no_keys`'),
  public_key: Nullable(Type.String(), 'applicationServerKey, base64url'),
  limit: Type.Integer({ description: 'how many browsers can be subscribed at once' }),
  subscriptions: Type.Array(PushSubscription)
}, { title: 'PushStatus' })

const base64url = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
export const Subscribe = Type.Object({
  endpoint: Type.String({ minLength: 1, maxLength: 2_000, description: 'https://…, from the subscription of the browser' }),
  keys: Type.Object({ p256dh: base64url('the browser\'s public key'), auth: base64url('the browser\'s authentication secret, 16 bytes') }),
  preferences: Maybe(Type.Object(Object.fromEntries(
    Object.entries(wishes).map(([name, description]) => [name, Maybe(Type.Boolean({ description }))])
  ) as Record<keyof typeof wishes, ReturnType<typeof Maybe<ReturnType<typeof Type.Boolean>>>>, {
    description: 'which notifications it gets; absent: unchanged, initially all'
  }))
})
export const SubscribeAnswer = Closed({ ok: Type.Literal(true), subscription: PushSubscription }, { title: 'SubscribeAnswer' })
export const Unsubscribe = Type.Object({
  endpoint: Maybe(Type.String({ minLength: 1, maxLength: 2_000, description: 'endpoint of the browser to unsubscribe' })),
  id: Maybe(Type.String({ minLength: 1, maxLength: 64, description: 'id of the subscription, instead of the endpoint' }))
})
export const UnsubscribeAnswer = Closed({ ok: Type.Literal(true), id: Type.String() }, { title: 'UnsubscribeAnswer' })

/** The content of an encrypted push message, declared so that clients know it. */
export const PushPayload = Closed({
  kind: OneOf(['approval', 'question', 'turn', 'job', 'pull', 'digest'], 'digest: a summary in numbers of a day or of quiet hours'),
  title: Type.String({ description: 'title of the session or job, credentials masked; empty for a digest' }),
  profile: Type.String(),
  session_id: Nullable(Type.String()),
  prompt_id: Type.Optional(Type.String({ description: 'the waiting prompt: approval_id or clarify_id' })),
  job_id: Type.Optional(Type.String()),
  pull_number: Type.Optional(Type.Integer({ description: 'number of the pull request' })),
  status: Type.Optional(Type.String({
    description: 'how a turn or run ended, or what happened to a pull request (`event` of the frame `pull`)'
  })),
  counts: Type.Optional(Closed({
    ended: Type.Integer({ description: 'chats and jobs whose turns ended' }),
    failed: Type.Integer({ description: 'how many of these failed' }),
    waiting: Type.Integer({ description: 'approvals and questions that wait' }),
    running: Type.Integer(), queued: Type.Integer()
  }, { description: 'the numbers of a digest' })),
  tag: Type.String({ description: 'a later message with the same tag replaces this one' }),
  at: Seconds()
}, { title: 'PushPayload' })
