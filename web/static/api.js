/* global document, fetch, location */
// The one way from this page to the service: JSON both ways, the CSRF token, and what happens when nobody is signed in.

const csrfToken = document.querySelector('meta[name="csrf-token"]').content

/** What every request that changes something carries. */
export const tokenHeaders = csrfToken === '' ? {} : { 'X-Svc-CSRF-Token': csrfToken }

/** An answer that is not a success. `body` is what the service said, `status` 0 means that it could not be reached. */
export class ApiError extends Error {
  constructor (message, status, body = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

/**
 * Reads from the service.
 * @param {string} path
 * @param {Record<string, string | number>} [query]
 * @returns {Promise<any>} the JSON answer
 * @throws {ApiError}
 */
export function get (path, query) {
  return call(withQuery(path, query), {})
}

/**
 * Changes something in the service.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} the JSON answer
 * @throws {ApiError}
 */
export function post (path, body = {}) {
  return call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...tokenHeaders },
    body: JSON.stringify(body)
  })
}

/**
 * @param {string} path
 * @param {Record<string, string | number>} [query]
 * @returns {string} the path with its query, for fetch and EventSource alike
 */
export function withQuery (path, query) {
  return query === undefined ? path : `${path}?${new URLSearchParams(query)}`
}

/**
 * Keeps what is fetched again and again to one request at a time; when it is wanted meanwhile, once more afterwards.
 * Failures are not told: the stream of changes says when the service is back, and what is wanted then is fetched again.
 * @param {() => Promise<void>} fetchOnce
 * @returns {() => Promise<void>} resolves when what was wanted by then has been fetched
 */
export function refresher (fetchOnce) {
  let running = null
  let isWanted = false
  async function run () {
    while (isWanted) {
      isWanted = false
      await fetchOnce().catch(() => {})
    }
    running = null
  }
  return async () => {
    isWanted = true
    running ??= run()
    await running
  }
}

/** Leaves for the sign-in page, which leads back here. */
export function signIn () {
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.hash)}`)
}

async function call (path, init) {
  let response
  let body
  try {
    response = await fetch(path, init)
    body = await response.json()
  } catch {
    throw new ApiError('The service cannot be reached. Try again in a moment.', response?.status ?? 0)
  }
  if (response.ok) return body
  if (response.status === 401) {
    signIn()
    // The page is about to go: nothing that waits here should report a failure on the way.
    return await new Promise(() => {})
  }
  // Where `error` is a word for programs, `message` is the sentence.
  throw new ApiError(body.message ?? body.error ?? `The service answered ${response.status}.`, response.status, body)
}
