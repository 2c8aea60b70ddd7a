import { type components, type paths } from '../wire.js'
import { isRecord } from './records.js'

/** A schema of the interface, by its name in the document. */
export type Wire<Name extends keyof components['schemas']> = components['schemas'][Name]

type Answered<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : unknown
type Asked<Operation> = Operation extends { parameters: { query?: infer Query } } ? Query : never
type Sent<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : Record<string, never>
/** The paths of requests that can be repeated and count once. */
type Once = { [Path in Having<'post'>]: 'client_id' extends keyof Sent<paths[Path]['post']> ? Path : never }[Having<'post'>]
type Having<Method extends 'get' | 'post' | 'put' | 'patch' | 'delete'> = { [Path in keyof paths]: paths[Path][Method] extends {
  responses: unknown
} ? Path : never }[keyof paths]

/** A failed request, with a message for the person. `status` 0: the service cannot be reached. `body` is the answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /**
   * @param clientId the id with which to repeat a request that may have arrived
   * @param retryAfterS seconds that the service asks to wait before the next request; null: it names none
   */
  constructor (
    message: string, readonly status: number, readonly body: Readonly<Record<string, unknown>> = {},
    readonly clientId: string | null = null, readonly retryAfterS: number | null = null
  ) {
    super(message)
  }

  /** The error code for programs, such as `changed`; null without one. */
  get code (): string | null {
    return typeof this.body.code === 'string' ? this.body.code : null
  }
}

export interface ApiOptions {
  /** The origin of the service, without a trailing slash; empty: the page's own. */
  origin?: string
  csrfToken?: string
  /** Headers of every request, for programs without cookies. */
  headers?: Readonly<Record<string, string>>
  /** Awaited before every change, because a page from this device's cache has no token yet. Throws ApiError. */
  beforeChange?: () => Promise<void> | undefined
  /** Called when the sign-in has a new token, for example after the password was changed in another window. */
  onToken?: (token: string) => void
  /** Called after every answer with the build of the app that the service reports; null if the answer names none. */
  onVersion?: (version: string | null) => void
  /** Returns an answer that is already available; null and undefined: the service is asked. */
  known?: (url: string) => Promise<object | null> | undefined
  /** Called before each request that may change something, with its path and body. */
  onChange?: (path: string, body: unknown) => void
  /** Messages for when the service cannot be reached or its answer cannot be read. */
  words?: {
    unreachable: () => string
    status: (status: number) => string
    /** Returns the message for an error code, made from the service's own sentence; undefined: that sentence. */
    ofCode?: (code: string, said: string) => string | undefined
  }
  /**
   * Called for every 401. The request then never settles, because the page is about to be left. Without this function, a 401
   * is an ApiError too.
   */
  onSignedOut?: () => void
}

/** Returns an id for a request that may be repeated but must count once. Pages without TLS have no `randomUUID`. */
export function newClientId (): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The client of the service: JSON both ways, typed by its document. Every failure is an ApiError. */
export class Api {
  readonly #origin: string
  readonly #options: ApiOptions
  /** The last request to each path of which it is not known whether it arrived. */
  readonly #unsure = new Map<string, { text: string, id: string }>()

  constructor (options: ApiOptions = {}) {
    this.#origin = options.origin ?? ''
    this.#options = options
  }

  /** Sends a GET request. Throws ApiError. */
  async get<Path extends Having<'get'>>(
    path: Path, query?: Asked<paths[Path]['get']>, signal?: AbortSignal
  ): Promise<Answered<paths[Path]['get']>> {
    const url = this.url(path, query)
    const known = await this.#options.known?.(url)
    return known == null
      ? await this.#call(url, { headers: { ...this.headers }, signal })
      : known as Answered<paths[Path]['get']>
  }

  /** Sends a POST request: JSON, or the form of an upload. Throws ApiError. */
  async post<Path extends Having<'post'>>(
    path: Path, body?: Sent<paths[Path]['post']> | FormData, signal?: AbortSignal
  ): Promise<Answered<paths[Path]['post']>> {
    return await this.#send('post', path, body, signal)
  }

  /**
   * Sends a POST request that must not count twice. If no answer comes, it is repeated once immediately; if that fails too, the same
   * request gets the same id the next time. Throws ApiError.
   */
  async postOnce<Path extends Once>(
    path: Path, body: Sent<paths[Path]['post']> & object, clientId?: string
  ): Promise<Answered<paths[Path]['post']>> {
    const text = JSON.stringify(body)
    const unsure = this.#unsure.get(path)
    const id = clientId ?? (unsure?.text === text ? unsure.id : newClientId())
    const post = async (): Promise<Answered<paths[Path]['post']>> => await this.post(path, { ...body, client_id: id })
    try {
      const answer = await post().catch(async (error: unknown) => {
        if (error instanceof ApiError && error.status === 0) return await post()
        throw error
      })
      this.#unsure.delete(path)
      return answer
    } catch (error) {
      // A 5xx may be a proxy's answer.
      const isUnsure = error instanceof ApiError && (error.status === 0 || error.status >= 500)
      if (isUnsure) this.#unsure.set(path, { text, id })
      else this.#unsure.delete(path)
      throw isUnsure ? new ApiError(error.message, error.status, error.body, id, error.retryAfterS) : error
    }
  }

  /** Sends a request to a path with parameters, which `names` fills in. Throws ApiError. */
  async change<Method extends 'post' | 'put' | 'patch' | 'delete', Path extends Having<Method>>(
    method: Method, path: Path, names: Readonly<Record<string, string>>, body?: Sent<paths[Path][Method]>
  ): Promise<Answered<paths[Path][Method]>> {
    return await this.#send(method, path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? '')), body)
  }

  /** Returns a URL, for images, downloads and uploads. */
  url (path: string, query: object = {}): string {
    const parts = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) parts.append(name, String(one))
    }
    return `${this.#origin}${path}${parts.size === 0 ? '' : `?${parts.toString()}`}`
  }

  /** The headers of every request. */
  get headers (): Readonly<Record<string, string>> {
    return this.#options.headers ?? {}
  }

  /** The headers of every request that changes something. */
  get tokenHeaders (): Record<string, string> {
    const { csrfToken: token = '', headers } = this.#options
    return { ...headers, ...(token !== '' && { 'x-svc-csrf-token': token }) }
  }

  /**
   * Returns the body of a successful answer, which has the shape that the service's document states. Throws ApiError for any other answer.
   */
  async read<Body>(response: Response): Promise<Body> {
    this.#options.onVersion?.(response.headers.get('x-svc-app-version'))
    if (response.status === 401 && this.#options.onSignedOut !== undefined) {
      this.#options.onSignedOut()
      return await new Promise(() => {})
    }
    const body: unknown = await response.json().catch(() => null)
    if (response.ok && body !== null) return body as Body
    const said = isRecord(body) ? body : {}
    // If `error` is a code, `message` is the sentence.
    const sentence = [said.message, said.error].find((text) => typeof text === 'string') ??
      this.#options.words?.status(response.status) ?? `The service answered with status ${response.status}.`
    const message = typeof said.code === 'string' ? this.#options.words?.ofCode?.(said.code, sentence) : undefined
    throw new ApiError(message ?? sentence, response.status, said, null, Number(response.headers.get('retry-after')) || null)
  }

  async #send<Body>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Body> {
    await this.#options.beforeChange?.()
    this.#options.onChange?.(path, body)
    const isForm = body instanceof FormData
    return await this.#call(this.url(path), {
      method: method.toUpperCase(),
      // The browser sets the boundary of a form itself.
      headers: { ...(!isForm && { 'content-type': 'application/json' }), ...this.tokenHeaders },
      body: isForm ? body : JSON.stringify(body ?? {}),
      signal
    })
  }

  async #call<Body>(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Body> {
    const response = await this.#fetch(url, init)
    const { 'x-svc-csrf-token': sent = '' } = init.headers
    const isStale = response.status === 403 && init.method !== undefined && await this.#hasOtherToken(sent)
    return await this.read(isStale ? await this.#fetch(url, { ...init, headers: { ...init.headers, ...this.tokenHeaders } }) : response)
  }

  async #fetch (url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (init.signal?.aborted === true) throw error
      throw new ApiError(this.#options.words?.unreachable() ?? 'The service cannot be reached. Try again in a moment.', 0)
    }
  }

  /** Reads the current token of this browser's sign-in. Returns whether it differs from the one that was sent. */
  async #hasOtherToken (sent: string): Promise<boolean> {
    const now = (): string => this.#options.csrfToken ?? ''
    if (now() !== sent) return true
    if (this.#options.onToken === undefined) return false
    const status = await fetch(this.url('/api/auth/status')).then(async (response) =>
      response.ok ? await response.json() as Wire<'AuthStatus'> : null).catch(() => null)
    if (status?.authenticated === true) this.#options.onToken?.(status.csrf_token)
    return now() !== sent
  }
}
