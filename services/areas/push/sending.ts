import { hash } from 'node:crypto'
import { fieldsOf } from '../../ground/fields.js'
import { postOutside } from '../../ground/network/outgoing.js'
import { type PushKeys } from './vapid-keys.js'
import { type PushMessageRow } from './message-rows.js'
import { type SubscriptionRow } from './subscription-rows.js'
import { endpointUrl } from './subscribing.js'

/**
 * The result of an attempt. gone: the browser has ended its subscription; again: the same may work later; refused: it never will. `code` is
 * for the log.
 */
export type Attempt = { outcome: 'sent' } | Failed
type Failed = { code: string | null, reason: string } & ({ outcome: 'gone' | 'refused' } | { outcome: 'again', afterS: number | null })

export interface PushSendingOptions {
  keys: PushKeys
  /** The contact for push services: `mailto:…` or `https://…`. */
  contact: string
  isPrivateAllowed: boolean
  nowS: number
  signal: AbortSignal
}

const encoding = 'aes128gcm'
/** Statuses with which a receiver may accept the same request later. */
const passing = new Set([408, 425, 429])
const longestWaitS = 7_200
const anew = 'Switch notifications off and on again in that browser.'

/** Encrypts a message for its browser (RFC 8291) and sends it to the push service once. Never rejects. */
export async function sendPush (
  subscription: SubscriptionRow, message: PushMessageRow, { keys, contact, isPrivateAllowed, nowS, signal }: PushSendingOptions
): Promise<Attempt> {
  let url: URL
  let request: { body: Buffer, headers: Record<string, string> }
  try {
    url = endpointUrl(subscription.endpoint, isPrivateAllowed)
    const { default: webPush } = await import('web-push')
    const { cipherText } = webPush.encrypt(subscription.p256dh, subscription.auth, message.body, encoding) as { cipherText: Buffer }
    const {
      Authorization: authorization
    } = webPush.getVapidHeaders(url.origin, contact, keys.publicKey, keys.privateKey, encoding) as { Authorization: string }
    request = { body: cipherText, headers: { authorization, ...headersOf(message, nowS) } }
  } catch {
    return { outcome: 'refused', code: 'invalid_subscription', reason: `The subscription is not usable. ${anew}` }
  }
  const outcome = await postOutside(url, { ...request, isPrivateAllowed, signal })
  if ('status' in outcome) return attemptOf(outcome)
  const { isFinal, code, says, next } = outcome
  const said = { code, reason: `The push service ${says}. ${isFinal ? anew : next}` }
  return isFinal ? { outcome: 'refused', ...said } : { outcome: 'again', ...said, afterS: null }
}

function attemptOf ({ status, retryAfter }: { status: number, retryAfter: string | null }): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  const code = `http_${status}`
  if (status === 404 || status === 410) return { outcome: 'gone', code, reason: 'The browser has ended its subscription' }
  const answered = `The push service answered ${status}`
  return status >= 500 || passing.has(status)
    ? { outcome: 'again', code, reason: answered, afterS: waitOf(retryAfter) }
    : { outcome: 'refused', code, reason: `${answered}. ${anew}` }
}

function headersOf ({ kind, promptId, body, expiresAt }: PushMessageRow, nowS: number): Record<string, string> {
  const { tag } = fieldsOf(JSON.parse(body))
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': encoding,
    ttl: String(Math.max(0, Math.round(expiresAt - nowS))),
    urgency: promptId === null ? 'normal' : 'high',
    // A newer message with the same topic replaces one that the browser has not fetched yet.
    topic: hash('sha256', `${kind} ${tag}`, 'base64url').slice(0, 32)
  }
}

/** Returns the wait in seconds, at most two hours; null if the header is not a number of seconds. */
function waitOf (retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Math.min(longestWaitS, Number(retryAfter)) : null
}
