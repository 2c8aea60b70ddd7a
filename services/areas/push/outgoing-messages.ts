import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { Outbox, pausesS } from '../../ground/outbox.js'
import { present } from '../../ground/present.js'
import { type PushContact } from './contact.js'
import { folded } from './folding.js'
import { type Keys, type PushKeys } from './vapid-keys.js'
import { type PushMessageRow, type PushMessageRows } from './message-rows.js'
import { sendPush, type Attempt } from './sending.js'
import { type SubscriptionRow, type SubscriptionRows } from './subscription-rows.js'

export interface PushOutboxOptions {
  db: Database
  clock: Clock
  subscriptions: SubscriptionRows
  messages: PushMessageRows
  keys: Keys
  contact: PushContact
  isPrivateAllowed: boolean
  /** Whether the person who subscribed is still signed in. */
  stands: (subscription: SubscriptionRow) => boolean
  isPromptOpen: (promptId: string) => boolean
  /** Returns when a message that must be silent now may ring, in epoch seconds; null if it may ring now. */
  quietUntil: (message: Pick<PushMessageRow, 'kind' | 'body'>, nowS: number) => number | null
  /** How many browsers are sent to at once; each gets one message at a time. */
  width: number
  log: Log
}

/** How long after quiet hours a held message is still worth sending. */
const toldLateS = 3_600

/** Sends the messages of the ledger. Each stays there until it has arrived, has become obsolete, or is abandoned. */
export function createPushOutbox ({
  db, clock, subscriptions, messages, keys, contact, isPrivateAllowed, stands, isPromptOpen, quietUntil, width, log
}: PushOutboxOptions): Outbox<PushMessageRow> {
  async function send (message: PushMessageRow, signal: AbortSignal): Promise<'failed' | void> {
    const subscription = subscriptions.find(message.subscriptionId)
    if (subscription === undefined) return
    const nowS = epochSeconds(clock)
    if (!stands(subscription)) return await db.durably(() => { subscriptions.remove(subscription.id) })
    const isPast = message.expiresAt <= nowS || (message.promptId !== null && !isPromptOpen(message.promptId))
    if (isPast) return await db.durably(() => messages.remove(message.id))
    const untilS = quietUntil(message, nowS)
    if (untilS !== null) return await db.durably(() => hold(message, nowS, untilS))
    const attempt = await sendPush(subscription, message, {
      keys: await existingKeys(), contact: contact.known() ?? '', isPrivateAllowed, nowS, signal
    })
    if (signal.aborted && attempt.outcome !== 'sent') return
    await db.durably(() => settle(message, attempt))
    if (attempt.outcome === 'sent') return
    if (attempt.outcome === 'again' && pausesS[message.attempts] !== undefined) return 'failed'
    const { code, reason } = attempt
    log('gave up a push message', {
      subscription: subscription.id, host: new URL(subscription.endpoint).hostname, code, attempts: message.attempts + 1, reason
    })
    return 'failed'
  }

  /** Called inside a transaction: postpones the message. One about something that has ended is merged with what is already held. */
  function hold (message: PushMessageRow, nowS: number, untilS: number): void {
    const isFolded = message.promptId === null && message.kind !== 'pull'
    const before = isFolded ? messages.held(message, nowS) : undefined
    if (before !== undefined) messages.remove(before.id)
    messages.hold(message.id, {
      kind: before === undefined ? message.kind : 'digest',
      body: before === undefined ? message.body : folded(before.body, message.body),
      nextAttemptAt: untilS,
      expiresAt: message.promptId === null ? Math.max(message.expiresAt, untilS + toldLateS) : message.expiresAt
    })
  }

  /** Called inside a transaction: stores the result of an attempt. */
  function settle ({ id, subscriptionId, attempts }: PushMessageRow, attempt: Attempt): void {
    if (attempt.outcome === 'gone') {
      subscriptions.remove(subscriptionId)
      return
    }
    const nowS = epochSeconds(clock)
    subscriptions.set(subscriptionId, attempt.outcome === 'sent' ? { lastSentAt: nowS, lastError: null } : { lastError: attempt.reason })
    const pauseS = pausesS[attempts]
    if (attempt.outcome !== 'again' || pauseS === undefined) messages.remove(id)
    else messages.again(id, attempts + 1, nowS + Math.max(pauseS, attempt.afterS ?? 0))
  }

  async function existingKeys (): Promise<PushKeys> {
    await keys.make()
    return present(keys.get(), 'the keys')
  }

  return new Outbox<PushMessageRow>({
    clock,
    width,
    due: messages.due,
    nextAfter: messages.nextAfter,
    laneOf: ({ subscriptionId }) => subscriptionId,
    send,
    failed: ({ subscriptionId }, error) =>
      log('the result of a push message could not be stored', { subscriptionId, reason: String(error) })
  })
}
