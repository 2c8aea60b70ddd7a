import { type Static } from '@sinclair/typebox'
import { type PushSubscription, type Subscribe } from '../../../schemas/push.js'
import { type Preferences } from './browsers.js'
import { type SubscriptionRow } from './subscription-rows.js'

/** A subscription as clients see it, without its endpoint: anyone who knew that could send to it. */
export function subscriptionToWire ({
  id, endpoint, userAgent, approvals, questions, turns, jobs, pulls, createdAt, lastSentAt, lastError
}: SubscriptionRow): Static<typeof PushSubscription> {
  return {
    id,
    service: new URL(endpoint).hostname,
    user_agent: userAgent,
    preferences: { approvals, questions, finished_turns: turns, finished_jobs: jobs, pull_requests: pulls },
    created_at: createdAt,
    last_sent_at: lastSentAt,
    last_error: lastError
  }
}

/** Reads a client's preferences; null leaves a preference as it is. */
export function wishesOf (preferences: Static<typeof Subscribe>['preferences']): Partial<Preferences> {
  const { approvals, questions, finished_turns: turns, finished_jobs: jobs, pull_requests: pulls } = preferences ?? {}
  return Object.fromEntries(Object.entries({ approvals, questions, turns, jobs, pulls }).filter(([, wish]) => typeof wish === 'boolean'))
}
