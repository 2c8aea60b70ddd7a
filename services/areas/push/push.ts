import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Log } from '../../ground/log.js'
import { longestPauseS } from '../../ground/outbox.js'
import { beginningOf, firstCharacters, redact } from '../../ground/redaction/index.js'
import { createBrowsers, mostSubscriptions, noContact, type Admission, type Preferences } from './browsers.js'
import { createContact, isPublicName } from './contact.js'
import { type DigestCounts } from './folding.js'
import { createKeys } from './vapid-keys.js'
import { createPushMessageRows, type PushMessageRow } from './message-rows.js'
import { createPushOutbox } from './outgoing-messages.js'
import { quietUntil, type QuietHours } from './quiet-hours.js'
import { createSubscriptionRows, type SubscriptionRow } from './subscription-rows.js'

export interface PushOptions {
  db: Database
  clock: Clock
  isPrivateAllowed: boolean
  /** The contact for push services: `mailto:…` or `https://…`; null: the public address of the service. */
  contact: string | null
  /** Whether a person who was admitted like this still is. */
  stands: (admission: Admission) => boolean
  /** Whether a prompt still waits for its answer. */
  isPromptOpen: (promptId: string) => boolean
  /** Quiet hours, and whether prompts that wait for a person ring in them. */
  quiet: () => QuietHours & { rings: boolean }
  /** Whether turns and runs that ended well are reported in the daily digest instead of at their end. */
  isDigested: () => boolean
  log: Log
}

/** Something to notify about. The fields that are set are sent to the browser, with credentials masked. */
export interface News {
  kind: PushMessageRow['kind']
  /** The title of the conversation or the job. */
  title: string
  profile: string
  sessionId: string | null
  promptId?: string
  jobId?: string
  pullNumber?: number
  /**
   * How a turn or a run has ended, or what happened to a pull request. `at_limit`: a turn waits until a person decides how it continues at
   * the limit of its provider; `resumed`: a turn has waited for a limit to pass, and continues.
   */
  status?: string
  counts?: DigestCounts
}

export interface Telling {
  /** Delay before sending: a person who is looking may have answered by then. */
  delayS?: number
  /** Epoch seconds after which the message is obsolete. */
  untilS?: number | null
  /** Sends to every browser, whatever it wants to be notified about. */
  everybody?: boolean
}

/** The most messages that wait for one browser; older ones are dropped. */
const mostMessages = 50
const keptS = 24 * 3600
const titleChars = 120
/** A digest is enabled for all browsers together. */
const preferenceOf = { approval: 'approvals', question: 'questions', turn: 'turns', job: 'jobs', pull: 'pulls', digest: null } as const

/** Notifies browsers, while nobody is looking, of prompts that wait for a person and of what has ended. */
export function createPush (options: PushOptions) {
  const { db, clock, stands } = options
  const subscriptions = createSubscriptionRows(db)
  const messages = createPushMessageRows(db)
  const keys = createKeys(options)
  const contact = createContact({ db, clock, configured: options.contact })
  const outbox = createPushOutbox({
    ...options, subscriptions, messages, keys, contact, width: mostSubscriptions,
    quietUntil: ({ kind, body }, nowS) => ringsAt(options.quiet(), { kind, status: fieldsOf(JSON.parse(body)).status }, nowS)
  })

  /** Subscriptions whose sign-in has not ended. */
  const standing = (): SubscriptionRow[] => subscriptions.all().filter(stands)

  return {
    /** null until keys could be stored. */
    publicKey: (): string | null => keys.get()?.publicKey ?? null,
    /** Returns why browsers cannot subscribe at a host at the moment; null if they can. */
    obstacle: (host: string): { code: 'no_contact' | 'no_keys', text: string } | null => keys.get() === null
      ? { code: 'no_keys', text: 'The keys for Web Push could not be stored yet' }
      : contact.known() === null && !isPublicName(host) ? { code: 'no_contact', text: noContact } : null,
    subscriptions: standing,
    /** Returns how many browsers can be notified. */
    count: (): number => standing().length,

    ...createBrowsers({ ...options, subscriptions, keys, contact }),

    /** Adds a message to the ledger for each browser that wants it, inside the caller's transaction. Returns how many there are. */
    tell (news: News, { delayS = 0, untilS = null, everybody = false }: Telling = {}): number {
      if (isRoutine(news) && !everybody && options.isDigested()) return 0
      const nowS = epochSeconds(clock)
      const body = JSON.stringify(toPayload(news, nowS))
      const wanting = standing().filter((subscription) => everybody || wants(subscription, news))
      for (const { id: subscriptionId } of wanting) {
        const expiresAt = Math.min(nowS + keptS, untilS ?? Infinity)
        messages.insert({
          id: randomBytes(8).toString('hex'), subscriptionId, kind: news.kind, promptId: news.promptId ?? null, body, createdAt: nowS,
          nextAttemptAt: nowS + delayS, expiresAt
        }, mostMessages)
      }
      if (wanting.length > 0) db.afterCommit(() => outbox.look())
      return wanting.length
    },

    /** Creates keys if there are none, and sends messages left from before a restart. */
    async start (): Promise<void> {
      await keys.make()
      db.enqueue({ write: () => messages.hurry(epochSeconds(clock) + longestPauseS), committed: () => outbox.look() })
    },
    /** Called when the quiet hours have changed: held messages are checked again, and may be sent or held until another time. */
    hoursChanged (): void {
      db.enqueue({ write: () => messages.hurry(epochSeconds(clock)), committed: () => outbox.look() })
    },
    /** Checks for due messages at once. */
    look: (): void => outbox.look(),
    stop: (): Promise<void> => outbox.stop(),
    /**
     * For metrics: how many messages are pending, how many attempts have failed, and how many browsers received the last message or did
     * not.
     */
    state () {
      const all = standing()
      const failing = all.filter(({ lastError }) => lastError !== null).length
      return { messages: messages.count(), failures: outbox.failures, subscriptions: { ok: all.length - failing, failing } }
    },
    /** Returns how many messages are being sent, for tests and metrics. */
    size: (): number => outbox.size()
  }
}

export type Push = ReturnType<typeof createPush>

function wants (subscription: Preferences, { kind, status }: News): boolean {
  const preference = preferenceOf[kind]
  if (status === 'at_limit' && subscription.questions) return true
  return preference === null || subscription[preference]
}

/** Returns when quiet hours let a message ring; null for now. */
function ringsAt (
  { rings, ...hours }: ReturnType<PushOptions['quiet']>, { kind, status }: { kind: News['kind'], status: unknown }, nowS: number
): number | null {
  if (rings && (kind === 'approval' || kind === 'question' || status === 'at_limit')) return null
  const untilMs = quietUntil(hours, nowS * 1000)
  return untilMs === null ? null : untilMs / 1000
}

/** Whether no person has to act on it. */
const isRoutine = ({ kind, status }: News): boolean => (kind === 'turn' || kind === 'job') && status === 'ok'

/** Contains enough to open the exact card, and nothing of the conversation. */
function toPayload (
  { kind, title, profile, sessionId, promptId, jobId, pullNumber, status, counts }: News, nowS: number
): Record<string, unknown> {
  return {
    kind,
    title: firstCharacters(redact(beginningOf(title, titleChars * 4)), titleChars),
    profile,
    session_id: sessionId,
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    ...(jobId === undefined ? {} : { job_id: jobId }),
    ...(pullNumber === undefined ? {} : { pull_number: pullNumber }),
    ...(status === undefined ? {} : { status }),
    ...(counts === undefined ? {} : { counts }),
    // A later notification with the same tag replaces this one.
    tag: promptId ?? jobId ?? (pullNumber === undefined ? sessionId ?? kind : `pull ${pullNumber} ${sessionId ?? ''}`),
    at: nowS
  }
}
