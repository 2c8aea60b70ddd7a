import { isIP } from 'node:net'
import { isOutsideName, outgoingAgent, type Guard } from './guarded-connector.js'
import { isMetadataAddress, isMetadataName } from './metadata-address.js'
import { isPublicAddress } from './public-address.js'
import { addressesOf, bareHostname } from './resolved-addresses.js'
import { timeLimit } from '../time/time-limit.js'
import { chainOf, codesOf, unreachedBy, unreachedInWords } from './unreached.js'

/**
 * The outcome of a request: its status, or why there is none. `isPrivate`: the name leads to an address that is not permitted. `isFinal`: a
 * retry would have the same outcome. `says` is the end of a sentence, `next` what can be done about it, `code` is for the log. None of them
 * holds the address.
 */
export type Outgoing =
  | { status: number, retryAfter: string | null }
  | { isPrivate: boolean, isFinal: boolean, code: string | null, says: string, next: string }

export interface OutgoingOptions {
  body: string | Buffer
  headers: Record<string, string>
  /** Whether this machine and private networks may be reached. */
  isPrivateAllowed: boolean
  signal: AbortSignal
}

const limitMs = 20_000
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** Thrown for an address that requests may not be led to. */
export class PrivateAddress extends Error {}

/**
 * Returns the guard for outgoing requests: only public addresses, or all except those where clouds keep the credentials of their machines.
 */
export const outsideGuard = (isPrivateAllowed: boolean): Guard => ({
  allowAddress: (address) => isPrivateAllowed ? !isMetadataAddress(address) : isPublicAddress(address),
  allowName: (name) => isPrivateAllowed ? !isMetadataName(name) : isOutsideName(name),
  refuse: () => new PrivateAddress()
})

/** Whether an address itself names `localhost` or an IP address that is not public. Other names are judged by what they resolve to. */
export function namesPrivateAddress (url: URL): boolean {
  const host = bareHostname(url).replace(/\.$/, '')
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host)
}

/**
 * Does the same, and also checks the addresses that the name has now, for an address that will be stored. A name that does not resolve is
 * checked when a connection is made.
 */
export async function leadsToPrivate (url: URL): Promise<boolean> {
  return namesPrivateAddress(url) || (await addressesOf(url)).some((address) => !isPublicAddress(address))
}

/** Sends a body once. Does not follow redirects, and reads only the status and Retry-After of the answer. Never rejects. */
export async function postOutside (url: URL, { body, headers, isPrivateAllowed, signal }: OutgoingOptions): Promise<Outgoing> {
  const limit = timeLimit(limitMs, [signal])
  const { default: { fetch } } = await import('undici')
  const agent = await outgoingAgent(outsideGuard(isPrivateAllowed), { pipelining: 0 })
  try {
    const response = await fetch(url, {
      method: 'POST', body, dispatcher: agent, signal: limit.signal, redirect: 'manual',
      headers: { 'user-agent': 'agent-web-service', ...headers }
    })
    await response.body?.cancel()
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  } catch (error) {
    return failureOf(error)
  } finally {
    limit.clear()
    await agent.destroy()
  }
}

/**
 * Gets an address that an untrusted party has named: only public addresses, by https, also after redirects. Call `close` once the answer is
 * read or no longer wanted. Rejects with PrivateAddress, or as fetch does.
 */
export async function getOutside (
  url: URL, signal: AbortSignal, accept: string
): Promise<{ response: Pick<Response, 'ok' | 'status' | 'body'>, close: () => Promise<void> }> {
  const { default: { fetch } } = await import('undici')
  const dispatcher = await outgoingAgent(outsideGuard(false), { pipelining: 0 })
  const close = async (): Promise<void> => { await dispatcher.destroy() }
  try {
    let next = url
    for (let count = 0; count <= mostRedirects; count++) {
      if (next.protocol !== 'https:' || next.username !== '' || next.password !== '') throw new PrivateAddress()
      const response = await fetch(next, { dispatcher, signal, redirect: 'manual', headers: { accept, 'user-agent': 'agent-web-service' } })
      const location = response.headers.get('location')
      if (!redirects.has(response.status) || location === null || !URL.canParse(location, next.href)) {
        return { response: response as unknown as Response, close }
      }
      await response.body?.cancel()
      next = new URL(location, next)
    }
    throw new Error('too many redirects')
  } catch (error) {
    await close()
    throw error
  }
}

function failureOf (error: unknown): Outgoing {
  if (chainOf(error).some((each) => each instanceof PrivateAddress)) {
    return {
      isPrivate: true, isFinal: true, code: 'private_address', says: 'leads to this machine or a private network',
      next: 'Choose another address.'
    }
  }
  const unreached = unreachedBy(error)
  if (unreached !== null) {
    return { isPrivate: false, isFinal: unreached.cause === 'blocked_port', code: unreached.code, ...unreachedInWords(unreached) }
  }
  const code = codesOf(error).find((each) => /^[A-Z][A-Z\d_]{2,40}$/.test(each)) ?? null
  return {
    isPrivate: false, isFinal: false, code, says: `cannot be reached${code === null ? '' : ` (${code})`}`,
    next: 'Check its address, and the network of this machine.'
  }
}
