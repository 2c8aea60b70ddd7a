import { isIP } from 'node:net'
import { isOutsideName, outgoingAgent, type Guard } from './guarded-connector.js'
import { isMetadataAddress, isMetadataName } from './metadata-address.js'
import { isPublicAddress } from './public-address.js'
import { addressesOf, hostOf } from './resolved-addresses.js'
import { timeLimit } from './time-limit.js'
import { chainOf, codesOf, unreachedBy, unreachedInWords } from './unreached.js'

/**
 * What came of a request: its status, or why there is none. `isPrivate`: the name leads to an address that is not permitted; `isFinal`: the
 * same would come of trying again; `says` is the end of a sentence, `next` what can be done about it, `code` for the log. None of them
 * holds the address.
 */
export type Outgoing =
  | { status: number, retryAfter: string | null }
  | { isPrivate: boolean, isFinal: boolean, code: string | null, says: string, next: string }

export interface OutgoingOptions {
  body: string | Buffer
  headers: Record<string, string>
  /** This machine and private networks may be reached. */
  isPrivateAllowed: boolean
  signal: AbortSignal
}

const limitMs = 20_000
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** An address that nobody here may be led to. */
export class PrivateAddress extends Error {}

/** Where others may be reached: public addresses, or any but those where clouds keep the credentials of their machines. */
export const outsideGuard = (isPrivateAllowed: boolean): Guard => ({
  allowAddress: (address) => isPrivateAllowed ? !isMetadataAddress(address) : isPublicAddress(address),
  allowName: (name) => isPrivateAllowed ? !isMetadataName(name) : isOutsideName(name),
  refuse: () => new PrivateAddress()
})

/** Whether an address names this machine or a private network by itself; where a name leads is found out when it is connected to. */
export function isPrivateHost (url: URL): boolean {
  const host = hostOf(url).replace(/\.$/, '')
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host)
}

/**
 * The same with what its name stands for now, for an address that is to be kept. One that is not known is judged where it is connected to.
 */
export async function leadsToPrivate (url: URL): Promise<boolean> {
  return isPrivateHost(url) || (await addressesOf(url)).some((address) => !isPublicAddress(address))
}

/** Sends a body once; redirects are not followed, and nothing of an answer but its status and Retry-After is looked at. Never rejects. */
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
 * Gets an address that a stranger has named: public ones alone, by https, also where it redirects to. `close` is called when the answer was
 * read, or is not wanted. Rejects with PrivateAddress, or as fetch does.
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
