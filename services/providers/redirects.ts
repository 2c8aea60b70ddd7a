import { addressOf } from './direct-fetch.js'
import { guardedFetch } from './guarded-fetch.js'

type Fetch = typeof globalThis.fetch

/** Ordinary moves within a server (a trailing slash, another path) take one or two. */
const mostRedirects = 5

/**
 * Returns a fetch that follows redirects only within the server that it was sent to, or from http to https of the same host. Otherwise a
 * client's own headers, such as `x-api-key`, would be sent wherever a provider points, even to an address that returns this machine's own
 * credentials (the Fetch standard holds back only `authorization`). Any other redirect is returned as the answer, with its status.
 */
export function withoutForeignRedirects (fetch: Fetch = guardedFetch): Fetch {
  return async (input, init) => {
    if (init?.redirect !== undefined) return await fetch(input, init)
    let address = addressOf(input)
    let response = await fetch(input, { ...init, redirect: 'manual' })
    for (let followed = 0; followed < mostRedirects; followed++) {
      const next = redirectOf(response, address)
      if (next === null || !isSameServer(address, next) || !keepsMethod(response, init)) return response
      await response.body?.cancel().catch(() => {})
      address = next
      response = await fetch(address, { ...init, redirect: 'manual' })
    }
    return response
  }
}

function redirectOf ({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get('location')
  return [301, 302, 303, 307, 308].includes(status) && location !== null && URL.canParse(location, from.href)
    ? new URL(location, from)
    : null
}

function isSameServer (from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false
  return to.origin === from.origin ||
    (from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname && from.port === '' && to.port === '')
}

/** A POST that would become a GET is useless, and a stream can be sent only once. */
function keepsMethod ({ status }: Response, init: RequestInit | undefined): boolean {
  if (['GET', 'HEAD'].includes((init?.method ?? 'GET').toUpperCase())) return true
  return (status === 307 || status === 308) && !(init?.body instanceof ReadableStream)
}
