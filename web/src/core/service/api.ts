import { type components, type paths } from '../../../wire.js'
import { isRecord } from './records.js'

/** A shape of the interface, by its name in the document. */
export type Wire<Name extends keyof components['schemas']> = components['schemas'][Name]

type Answered<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : unknown
type Asked<Operation> = Operation extends { parameters: { query?: infer Query } } ? Query : never
type Sent<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : Record<string, never>
/** What can be sent a second time and counts once. */
type Once = { [Path in Having<'post'>]: 'client_id' extends keyof Sent<paths[Path]['post']> ? Path : never }[Having<'post'>]
type Having<Method extends 'get' | 'post' | 'put' | 'patch' | 'delete'> = { [Path in keyof paths]: paths[Path][Method] extends {
  responses: unknown
} ? Path : never }[keyof paths]

/** An answer that is no success, in a sentence for the person. `status` 0: the service cannot be reached. `body` is what it said. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** @param clientId what a request is called that may have arrived, to be sent again */
  constructor (
    message: string, readonly status: number, readonly body: Readonly<Record<string, unknown>> = {}, readonly clientId: string | null = null
  ) {
    super(message)
  }

  /** What a program can tell it by, such as `changed`; null without. */
  get code (): string | null {
    return typeof this.body.code === 'string' ? this.body.code : null
  }
}

export interface ApiOptions {
  /** Of the service, without a slash at the end; empty for the one that the page comes from. */
  origin?: string
  csrfToken?: string
  /** Of every request; for programs that have no cookies. */
  headers?: Readonly<Record<string, string>>
  /** Awaited before everything that changes something: a page that this device has kept has no token yet. Throws ApiError. */
  beforeChange?: () => Promise<void> | undefined
  /** The sign-in has another token now, such as after another window has changed the password. */
  onToken?: (token: string) => void
  /** Which build of the app the service has, as every answer says; null where it says nothing. */
  onVersion?: (version: string | null) => void
  /** Said in place of the service when it cannot be reached or says nothing that can be read. */
  words?: { unreachable: () => string, status: (status: number) => string }
  /** Called for every 401: whoever asked never hears back, as the page is about to go. Without it, that is an ApiError as well. */
  onSignedOut?: () => void
}

/** What a request is called that may have to be sent again, so that it counts once. Pages without TLS have no `randomUUID`. */
export function newClientId (): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The one way to the service: JSON both ways, typed by its own document, and every failure an ApiError. */
export class Api {
  readonly #origin: string
  readonly #options: ApiOptions
  /** The last request to each path of which nobody knows whether it arrived. */
  readonly #unsure = new Map<string, { text: string, id: string }>()

  constructor (options: ApiOptions = {}) {
    this.#origin = options.origin ?? ''
    this.#options = options
  }

  /** Reads. Throws ApiError. */
  async get<Path extends Having<'get'>>(
    path: Path, query?: Asked<paths[Path]['get']>, signal?: AbortSignal
  ): Promise<Answered<paths[Path]['get']>> {
    return await this.#call(this.url(path, query), { headers: { ...this.#options.headers }, signal: signal ?? null })
  }

  /** Changes. Throws ApiError. */
  async post<Path extends Having<'post'>>(
    path: Path, body?: Sent<paths[Path]['post']>, signal?: AbortSignal
  ): Promise<Answered<paths[Path]['post']>> {
    await this.#options.beforeChange?.()
    return await this.#call(this.url(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.tokenHeaders },
      body: JSON.stringify(body ?? {}),
      signal: signal ?? null
    })
  }

  /**
   * Changes something that must not happen twice. Throws ApiError. A request that got no answer is sent once more at once; where that
   * fails too, the same request gets the same id the next time it is asked for.
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
      // A proxy may have answered for the service.
      const isUnsure = error instanceof ApiError && (error.status === 0 || error.status >= 500)
      if (isUnsure) this.#unsure.set(path, { text, id })
      else this.#unsure.delete(path)
      throw isUnsure ? new ApiError(error.message, error.status, error.body, id) : error
    }
  }

  /** Changes what an address names; `names` stand for the braces in it. Throws ApiError. */
  async change<Method extends 'post' | 'put' | 'patch' | 'delete', Path extends Having<Method>>(
    method: Method, path: Path, names: Readonly<Record<string, string>>, body?: Sent<paths[Path][Method]>
  ): Promise<Answered<paths[Path][Method]>> {
    await this.#options.beforeChange?.()
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
    return await this.#call(this.url(filled), {
      method: method.toUpperCase(), headers: { 'content-type': 'application/json', ...this.tokenHeaders }, body: JSON.stringify(body ?? {})
    })
  }

  /** An address, for what fetches by itself: images, downloads, uploads. */
  url (path: string, query: object = {}): string {
    const parts = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) parts.append(name, String(one))
    }
    return `${this.#origin}${path}${parts.size === 0 ? '' : `?${parts.toString()}`}`
  }

  /** What every request that changes something carries. */
  get tokenHeaders (): Record<string, string> {
    const { csrfToken: token = '', headers } = this.#options
    return { ...headers, ...(token !== '' && { 'x-svc-csrf-token': token }) }
  }

  /** Returns the body of an answer, which is what the service's document says. Throws the ApiError that any other answer means. */
  async read<Body>(response: Response): Promise<Body> {
    this.#options.onVersion?.(response.headers.get('x-svc-app-version'))
    if (response.status === 401 && this.#options.onSignedOut !== undefined) {
      this.#options.onSignedOut()
      return await new Promise(() => {})
    }
    const body: unknown = await response.json().catch(() => null)
    if (response.ok && body !== null) return body as Body
    const said = isRecord(body) ? body : {}
    // Where `error` is a word for programs, `message` is the sentence.
    const sentence = [said.message, said.error].find((text) => typeof text === 'string') ??
      this.#options.words?.status(response.status) ?? `The service answered with status ${response.status}.`
    throw new ApiError(sentence, response.status, said)
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

  /** Whether the sign-in of this browser has another token by now than the one that was sent; it is put in place then. */
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
