import { type FetchLike } from '@modelcontextprotocol/client'
import { codeOf } from '../../ground/errors.js'
import { createOutgoing, isOutsideName, outgoingAgent } from '../../ground/guarded-connector.js'
import { isMetadataAddress, isMetadataName } from '../../ground/metadata-address.js'
import { ProxyTrouble } from '../../ground/proxy/trouble.js'
import { isPublicAddress } from '../../ground/public-address.js'
import { addressesOf } from '../../ground/resolved-addresses.js'
import { timeLimit } from '../../ground/time-limit.js'

const limitMs = 10_000
const mostBytes = 1_024 * 1_024

export class Refused extends Error {}
const refuse = (host: string): Error => new Refused(`${host} has an address that is not to be reached`)

/** Connections for a server's own address, which the operator has written down: private networks are allowed, clouds' metadata never. */
export function serverConnections () {
  // Calls have limits of their own, and a server may be silent for as long as they allow.
  return createOutgoing({
    allowAddress: (address) => !isMetadataAddress(address), allowName: (name) => !isMetadataName(name), refuse
  }, { headersTimeout: 0, bodyTimeout: 0 })
}

/**
 * A fetch for what a server says of signing in, and for whoever it names: over TLS or on this machine, on the public internet
 * unless the operator has named the origin, in time, of bounded length, and without following redirects, so that no secret is
 * sent elsewhere than it was meant for.
 *
 * @param named addresses that the operator has written down
 */
export function createSignInFetch (named: readonly string[]): FetchLike {
  const known = new Set(named.map((address) => new URL(address).origin))
  return async (address, init) => {
    const url = new URL(address)
    const isKnown = known.has(url.origin)
    if (url.protocol !== 'https:' && !isKnown) throw new Refused(`${url.origin} is not reached over https`)
    const { default: { fetch } } = await import('undici')
    const dispatcher = await outgoingAgent({
      allowAddress: (ip) => isKnown ? !isMetadataAddress(ip) : isPublicAddress(ip),
      allowName: (name) => isKnown ? !isMetadataName(name) : isOutsideName(name),
      refuse
    }, { pipelining: 0 })
    const { signal, clear } = timeLimit(limitMs)
    try {
      // To types, a browser's request is none of undici's.
      const response = await fetch(url, { ...init as object, dispatcher, signal, redirect: 'manual' })
      if (response.status >= 300 && response.status < 400) throw new Refused(`${url.origin} answers with a redirect, which is not followed`)
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of response.body ?? []) {
        bytes += piece.length
        if (bytes > mostBytes) throw new Refused(`${url.origin} answers too much`)
        pieces.push(piece)
      }
      return new Response([204, 205].includes(response.status) ? null : Buffer.concat(pieces), {
        status: response.status, headers: [...response.headers]
      })
    } catch (error) {
      throw plainly(error)
    } finally {
      clear()
      await dispatcher.destroy()
    }
  }
}

/**
 * Why whoever a server names for signing in is not to be reached, as `createSignInFetch` would judge it; null when nothing speaks
 * against it. A name that is not known is judged where it is connected to.
 */
export async function signInProblem (address: string, named: readonly string[]): Promise<string | null> {
  const url = new URL(address)
  const isKnown = named.some((each) => new URL(each).origin === url.origin)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isKnown)) return `${url.origin} is not reached over https`
  const isForbidden = (ip: string): boolean => isKnown ? isMetadataAddress(ip) : !isPublicAddress(ip)
  return (await addressesOf(url)).some(isForbidden) ? refuse(url.hostname).message : null
}

/** What lies behind "fetch failed": the library takes that for a browser's refusal, and tries other ways. */
function plainly (error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Refused) return cause
    if (cause instanceof ProxyTrouble) return new Error(`It ${cause.says}. ${cause.next}`, { cause })
    const code = codeOf(cause)
    if (code !== undefined && /^[A-Z_]{3,40}$/.test(code)) {
      return Object.assign(new Error('It cannot be reached', { cause }), { code })
    }
  }
  return error instanceof TypeError ? new Error('It cannot be reached', { cause: error }) : error
}
