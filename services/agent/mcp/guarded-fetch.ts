import { type FetchLike } from '@modelcontextprotocol/client'
import { codeOf } from '../../ground/errors.js'
import { createOutgoing, isOutsideName, outgoingAgent } from '../../ground/network/guarded-connector.js'
import { isMetadataAddress, isMetadataName } from '../../ground/network/metadata-address.js'
import { ProxyTrouble } from '../../ground/proxy/trouble.js'
import { isPublicAddress } from '../../ground/network/public-address.js'
import { addressesOf } from '../../ground/network/resolved-addresses.js'
import { timeLimit } from '../../ground/time/time-limit.js'

const limitMs = 10_000
const mostBytes = 1_024 * 1_024

export class McpAddressRefused extends Error {}
const refuse = (host: string): Error => new McpAddressRefused(`${host} has an address that is not to be reached`)

/** Returns connections for a server's own address, set by the operator. Private networks are allowed, metadata of clouds never is. */
export function serverConnections () {
  // Calls have limits of their own, and a server may be silent for as long as they allow.
  return createOutgoing({
    allowAddress: (address) => !isMetadataAddress(address), allowName: (name) => !isMetadataName(name), refuse
  }, { headersTimeout: 0, bodyTimeout: 0 })
}

/**
 * Returns a fetch for a server's information about signing in, and for the servers that it names. It uses https and reaches only the
 * public internet, unless the operator has named the origin. Time and length are limited. Redirects are not followed, so that no secret
 * reaches another address.
 *
 * @param named addresses that the operator has configured
 */
export function createSignInFetch (named: readonly string[]): FetchLike {
  const known = new Set(named.map((address) => new URL(address).origin))
  return async (address, init) => {
    const url = new URL(address)
    const isKnown = known.has(url.origin)
    if (url.protocol !== 'https:' && !isKnown) throw new McpAddressRefused(`${url.origin} is not reached over https`)
    const { default: { fetch } } = await import('undici')
    const dispatcher = await outgoingAgent({
      allowAddress: (ip) => isKnown ? !isMetadataAddress(ip) : isPublicAddress(ip),
      allowName: (name) => isKnown ? !isMetadataName(name) : isOutsideName(name),
      refuse
    }, { pipelining: 0 })
    const { signal, clear } = timeLimit(limitMs)
    try {
      // The types of a browser's request and of undici's differ.
      const response = await fetch(url, { ...init as object, dispatcher, signal, redirect: 'manual' })
      if (response.status >= 300 && response.status < 400) throw new McpAddressRefused(`${url.origin} answers with a redirect, which is not followed`)
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of response.body ?? []) {
        bytes += piece.length
        if (bytes > mostBytes) throw new McpAddressRefused(`${url.origin} answers too much`)
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
 * Returns why an address that a server names for signing in must not be reached, by the rules of `createSignInFetch`; null if it may be.
 * A name that cannot be resolved here is checked when it is connected to.
 */
export async function signInProblem (address: string, named: readonly string[]): Promise<string | null> {
  const url = new URL(address)
  const isKnown = named.some((each) => new URL(each).origin === url.origin)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isKnown)) return `${url.origin} is not reached over https`
  const isForbidden = (ip: string): boolean => isKnown ? isMetadataAddress(ip) : !isPublicAddress(ip)
  return (await addressesOf(url)).some(isForbidden) ? refuse(url.hostname).message : null
}

/** Returns the error behind "fetch failed", which the library would take for a browser's refusal and retry in other ways. */
function plainly (error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof McpAddressRefused) return cause
    if (cause instanceof ProxyTrouble) return new Error(`It ${cause.says}. ${cause.next}`, { cause })
    const code = codeOf(cause)
    if (code !== undefined && /^[A-Z_]{3,40}$/.test(code)) {
      return Object.assign(new Error('It cannot be reached', { cause }), { code })
    }
  }
  return error instanceof TypeError ? new Error('It cannot be reached', { cause: error }) : error
}
