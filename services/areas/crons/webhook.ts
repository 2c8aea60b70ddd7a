import { createHmac } from 'node:crypto'
import { asError, Invalid } from '../../ground/errors.js'
import { leadsToPrivate, namesPrivateAddress, postOutside } from '../../ground/network/outgoing.js'

/**
 * The result of an attempt: whether it is final, why it failed and what to do about it, without the address, and a code for the log.
 */
export type Attempt = { ok: true } | { ok: false, isFinal: boolean, code: string | null, reason: string }

const longestUrl = 2_000
/** Statuses after which the receiver may accept the same request later. */
const passing = new Set([408, 409, 425, 429])

const notPrivate = 'webhooks to this machine or a private network need SVC_WEBUI_WEBHOOK_PRIVATE=1 in the environment of the service'

/** Parses the address of a webhook. Throws Invalid for one that would not be used. */
function webhookUrl (text: string, isPrivateAllowed: boolean): URL {
  if (text.length > longestUrl || !URL.canParse(text)) {
    throw new Invalid('deliver: webhook: must be followed by an address such as https://example.org/hook')
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Invalid('deliver: the address of a webhook must begin with https:// or http://')
  }
  if (url.username !== '' || url.password !== '') {
    throw new Invalid('deliver: the address of a webhook must not contain a user name or a password')
  }
  if (namesPrivateAddress(url) && !isPrivateAllowed) throw new Invalid(`deliver: ${notPrivate}`)
  return url
}

/** Does the same for an address that is to be stored, and checks what its name resolves to. Throws Invalid. */
export async function reachedWebhookUrl (text: string, isPrivateAllowed: boolean): Promise<URL> {
  const url = webhookUrl(text, isPrivateAllowed)
  if (!isPrivateAllowed && await leadsToPrivate(url)) throw new Invalid(`deliver: ${notPrivate}`)
  return url
}

/** Returns `sha256=` and the HMAC of a body, in hex. */
const signatureOf = (body: string, secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Sends a body once; redirects are not followed, and only the status of the answer is read. Never rejects. */
export async function sendWebhook (target: string, {
  id, body, secret, isPrivateAllowed, signal
}: { id: string, body: string, secret: string, isPrivateAllowed: boolean, signal: AbortSignal }): Promise<Attempt> {
  let url: URL
  try {
    url = webhookUrl(target, isPrivateAllowed)
  } catch (error) {
    return { ok: false, isFinal: true, code: 'invalid_address', reason: asError(error).message.replace(/^deliver: /, '') }
  }
  const outcome = await postOutside(url, {
    body,
    isPrivateAllowed,
    signal,
    headers: { 'content-type': 'application/json', 'x-svc-delivery': id, 'x-svc-signature': signatureOf(body, secret) }
  })
  if ('status' in outcome) return attemptOf(outcome.status)
  const { isPrivate, isFinal, code, says, next } = outcome
  return {
    ok: false, isFinal, code,
    reason: isPrivate ? `The host name of the webhook leads to a private address: ${notPrivate}` : `The server of the webhook ${says}. ${next}`
  }
}

function attemptOf (status: number): Attempt {
  if (status >= 200 && status < 300) return { ok: true }
  const failed = { ok: false as const, isFinal: status < 500 && !passing.has(status), code: `http_${status}` }
  const answered = `The webhook answered ${status}`
  if (status >= 300 && status < 400) {
    return { ...failed, reason: `${answered}: redirects are not followed. Give the job the address that it leads to.` }
  }
  if (status === 401 || status === 403) {
    return { ...failed, reason: `${answered}: it does not let the service in. Check the token in its address.` }
  }
  if (status === 404 || status === 405 || status === 410) {
    return { ...failed, reason: `${answered}: nothing takes messages there. Check its address.` }
  }
  return {
    ...failed, reason: failed.isFinal
      ? `${answered}: it does not take the message. Look into the log of its server.`
      : `${answered}. If that lasts, look into the log of its server.`
  }
}
