import { isIP } from 'node:net'
import { guardedConnector } from './guarded-connector.js'
import { isPublicAddress } from './public-address.js'
import { addressesOf, hostOf } from './resolved-addresses.js'
import { timeLimit } from './time-limit.js'

/** What came of a request: its status, or why there is none. `isPrivate`: the name leads to an address that is not permitted. */
export type Outgoing = { status: number, retryAfter: string | null } | { isPrivate: boolean, reason: string }

export interface OutgoingOptions {
  body: string | Buffer
  headers: Record<string, string>
  /** This machine and private networks may be reached. */
  isPrivateAllowed: boolean
  signal: AbortSignal
}

const limitMs = 20_000

class PrivateAddress extends Error {}

/** Whether an address names this machine or a private network by itself; where a name leads is found out when it is connected to. */
export function isPrivateHost (url: URL): boolean {
  const host = hostOf(url).replace(/\.$/, '')
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host)
}

/** The same with what its name stands for now, for an address that is to be kept. One that is not known is judged where it is connected to. */
export async function leadsToPrivate (url: URL): Promise<boolean> {
  return isPrivateHost(url) || (await addressesOf(url)).some((address) => !isPublicAddress(address))
}

/** Sends a body once; redirects are not followed, and nothing of an answer but its status and Retry-After is looked at. Never rejects. */
export async function postOutside (url: URL, { body, headers, isPrivateAllowed, signal }: OutgoingOptions): Promise<Outgoing> {
  const limit = timeLimit(limitMs, [signal])
  const { default: { Agent, fetch } } = await import('undici')
  const agent = new Agent({ connect: await guardedConnector((address) => isPrivateAllowed || isPublicAddress(address), () => new PrivateAddress()), pipelining: 0 })
  try {
    const response = await fetch(url, { method: 'POST', body, dispatcher: agent, signal: limit.signal, redirect: 'manual', headers: { 'user-agent': 'agent-web-service', ...headers } })
    await response.body?.cancel()
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  } catch (error) {
    return failureOf(error)
  } finally {
    limit.clear()
    await agent.destroy()
  }
}

/** Reasons are the ends of sentences, and do not hold the address. */
function failureOf (error: unknown): Outgoing {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof PrivateAddress) return { isPrivate: true, reason: 'leads to this machine or a private network' }
    if (cause.name === 'TimeoutError') return { isPrivate: false, reason: `did not answer within ${limitMs / 1000} s` }
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { isPrivate: false, reason: 'has a name that cannot be resolved' }
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return { isPrivate: false, reason: `cannot be reached (${code})` }
  }
  return { isPrivate: false, reason: 'cannot be reached' }
}
