import { guardedFetch } from './guarded-fetch.js'
type Fetch = typeof globalThis.fetch

/** Plain moves within a server (a slash at the end, another path) take one or two. */
const mostRedirects = 5

/**
 * A fetch that follows redirects within the server it was sent to, or from http to https of the same host, and no others: a
 * client's own headers, such as `x-api-key`, would go along to wherever a provider points, an address that tells this
 * machine's own credentials included (the Fetch standard keeps back `authorization` alone). Any other redirect is the
 * answer, with its status.
 */
export function withoutForeignRedirects (fetch: Fetch = guardedFetch): Fetch {
  return async (input, init) => {
    if (init?.redirect !== undefined) return await fetch(input, init)
    let address = new URL(input instanceof Request ? input.url : input)
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

/** A POST that would arrive as a GET asks for nothing of use. A stream can be sent once only. */
function keepsMethod ({ status }: Response, init: RequestInit | undefined): boolean {
  if (['GET', 'HEAD'].includes((init?.method ?? 'GET').toUpperCase())) return true
  return (status === 307 || status === 308) && !(init?.body instanceof ReadableStream)
}
