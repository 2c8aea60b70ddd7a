import { hash } from 'node:crypto'
import { postOutside } from '../ground/outgoing.js'
import { type PushKeys } from './keys.js'
import { type MessageRow } from './message-rows.js'
import { type SubscriptionRow } from './subscription-rows.js'
import { endpointUrl } from './subscribing.js'

/** How an attempt went. gone: the browser has given its subscription up; again: the same may work later; refused: it never will. */
export type Attempt = { outcome: 'sent' } | { outcome: 'gone' } | { outcome: 'again', reason: string, afterS: number | null } | { outcome: 'refused', reason: string }

export interface SendingOptions {
  keys: PushKeys
  /** Whom push services may turn to: `mailto:…` or `https://…`. */
  contact: string
  isPrivateAllowed: boolean
  nowS: number
  signal: AbortSignal
}

const encoding = 'aes128gcm'
/** The receiver may want the same again later. */
const passing = new Set([408, 425, 429])
const longestWaitS = 7_200

/** Encrypts a message for its browser (RFC 8291) and hands it to the push service once. Never rejects. */
export async function sendPush (subscription: SubscriptionRow, message: MessageRow, { keys, contact, isPrivateAllowed, nowS, signal }: SendingOptions): Promise<Attempt> {
  let url: URL
  let request: { body: Buffer, headers: Record<string, string> }
  try {
    url = endpointUrl(subscription.endpoint, isPrivateAllowed)
    const { default: webPush } = await import('web-push')
    const { cipherText } = webPush.encrypt(subscription.p256dh, subscription.auth, message.body, encoding) as { cipherText: Buffer }
    const { Authorization: authorization } = webPush.getVapidHeaders(url.origin, contact, keys.publicKey, keys.privateKey, encoding) as { Authorization: string }
    request = { body: cipherText, headers: { authorization, ...headersOf(message, nowS) } }
  } catch {
    return { outcome: 'refused', reason: 'The subscription cannot be sent to' }
  }
  const outcome = await postOutside(url, { ...request, isPrivateAllowed, signal })
  if ('reason' in outcome) {
    const reason = `The push service ${outcome.reason}`
    return outcome.isPrivate ? { outcome: 'refused', reason } : { outcome: 'again', reason, afterS: null }
  }
  const { status, retryAfter } = outcome
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  const reason = `The push service answered ${status}`
  return status >= 500 || passing.has(status) ? { outcome: 'again', reason, afterS: waitOf(retryAfter) } : { outcome: 'refused', reason }
}

function headersOf ({ kind, promptId, body, expiresAt }: MessageRow, nowS: number): Record<string, string> {
  const { tag } = JSON.parse(body) as { tag: string }
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': encoding,
    ttl: String(Math.max(0, Math.round(expiresAt - nowS))),
    urgency: promptId === null ? 'normal' : 'high',
    // Of those that the browser has not fetched yet, one takes the place of the other.
    topic: hash('sha256', `${kind} ${tag}`, 'base64url').slice(0, 32)
  }
}

/** Seconds; null: nothing that can be gone by. */
function waitOf (retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Math.min(longestWaitS, Number(retryAfter)) : null
}
