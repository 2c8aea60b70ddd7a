/** What `fetch` accepts as headers. */
type HeadersLike = NonNullable<RequestInit['headers']>

/**
 * Headers as those of fetch: names in any case, the values of one name joined with a comma. Node's own `Headers` and `Response` load all of
 * its fetch, which takes 3 to 8 MiB in each process of the service and tens of milliseconds of processor time.
 */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string[]>()

  constructor (from: HeadersLike = []) {
    const pairs = Symbol.iterator in from ? from as Iterable<string[]> : Object.entries(from as Record<string, string>)
    for (const [name = '', value = ''] of pairs) this.append(name, value)
  }

  append (name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [...this.getAll(name), trimmed(value)])
  }

  set (name: string, value: string): void { this.#values.set(name.toLowerCase(), [trimmed(value)]) }
  delete (name: string): void { this.#values.delete(name.toLowerCase()) }
  has (name: string): boolean { return this.#values.has(name.toLowerCase()) }
  get (name: string): string | null { return this.has(name) ? this.getAll(name).join(', ') : null }
  getSetCookie (): string[] { return this.getAll('set-cookie') }

  /** Yields the names in alphabetical order; each cookie on its own, because their values contain commas. */
  * entries (): Generator<[string, string], undefined> {
    for (const [name, values] of [...this.#values].sort(([one], [other]) => one < other ? -1 : 1)) {
      if (name === 'set-cookie') for (const value of values) yield [name, value]
      else yield [name, values.join(', ')]
    }
    return undefined
  }

  * keys (): Generator<string, undefined> { for (const [name] of this.entries()) yield name }
  * values (): Generator<string, undefined> { for (const [, value] of this.entries()) yield value }
  [Symbol.iterator] (): Generator<[string, string], undefined> { return this.entries() }
  forEach (act: (value: string, name: string, all: PlainHeaders) => void): void {
    for (const [name, value] of this.entries()) act(value, name, this)
  }

  private getAll (name: string): string[] { return this.#values.get(name.toLowerCase()) ?? [] }
}

const blanks = '\t\n\r '

/** Returns a value without the white space around it that HTTP ignores. */
function trimmed (value: string): string {
  let [from, to] = [0, value.length]
  while (from < to && blanks.includes(value.charAt(from))) from++
  while (from < to && blanks.includes(value.charAt(to - 1))) to--
  return value.slice(from, to)
}

/**
 * Returns an answer as that of fetch, without loading fetch; see {@link PlainHeaders}. The type is asserted, because Node and browsers
 * declare it a little differently.
 */
export function plainResponse (body: ReadableStream<Uint8Array> | null, init: PlainResponseInit): Response {
  return new PlainResponse(body, init) as unknown as Response
}

interface PlainResponseInit { status: number, statusText: string, headers: Headers }

class PlainResponse {
  readonly type = 'default'
  readonly url = ''
  readonly redirected = false
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  #body: ReadableStream<Uint8Array> | null
  #isUsed = false

  constructor (body: ReadableStream<Uint8Array> | null, { status, statusText, headers }: PlainResponseInit) {
    this.#body = body
    this.status = status
    this.statusText = statusText
    this.headers = headers
  }

  get body (): ReadableStream<Uint8Array> | null { return this.#body }
  get ok (): boolean { return this.status >= 200 && this.status <= 299 }
  get bodyUsed (): boolean { return this.#isUsed || this.#body?.locked === true }

  /** Throws if the body has been read. */
  clone (): PlainResponse {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
    const [own, other] = this.#body?.tee() ?? [null, null]
    this.#body = own
    return new PlainResponse(other, this)
  }

  async text (): Promise<string> { return new TextDecoder().decode(await this.bytes()) }
  async json (): Promise<unknown> { return JSON.parse(await this.text()) }
  async blob (): Promise<Blob> { return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' }) }
  async arrayBuffer (): Promise<ArrayBuffer> { return (await this.bytes()).buffer }

  async bytes (): Promise<Uint8Array<ArrayBuffer>> {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
    this.#isUsed = true
    const pieces: Uint8Array[] = []
    for await (const piece of this.#body ?? []) pieces.push(piece)
    return new Uint8Array(Buffer.concat(pieces))
  }

  /** No server of models answers with a form. */
  async formData (): Promise<FormData> { throw new TypeError('A form is not read here') }
}
