import { createServer as createHttpServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { guardedTunnel, outgoingAgent } from '../../ground/network/guarded-connector.js'
import { hostPortOf, readHostPort, type HostPort } from '../../ground/network/host-port.js'
import { type Routes } from '../../ground/proxy/routes.js'
import { chainOf, unreachedBy, unreachedInWords } from '../../ground/network/unreached.js'
import { guardOf, OutOfReach, type Reach } from './reach.js'

export interface OutgoingProxiesOptions {
  reach: Reach
  /** Returns how connections leave this machine; called for each connection. */
  routes: () => Routes
  /** Called for each connection that was refused. */
  refused: (refusal: OutOfReach) => void
}

const mostConnections = 256
/** How many connections may be opening at once: a slow name server, or a host that never answers, blocks no more than these. */
const mostOpening = 64
/** A pause before each refusal, so that a program that retries at once uses little of the processor. */
const refusalPauseMs = 100
/** Headers of one connection (RFC 9110, section 7.6.1), those for a proxy, and those that are answered or set again for each connection. */
const notPassedOn = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'host', 'expect'
])
/** Shown to programs in the sandbox; it contains no addresses. */
const unusable = 'This proxy takes CONNECT, and requests with a whole http:// address.'

/** A request that is answered with a status and a sentence. */
class ProxyRefusal extends Error {
  constructor (readonly status: number, words: string) { super(words) }
}

/** Servers for the outer end of a bridge. Each connection is judged when it is made. */
export class OutgoingProxies {
  readonly #open = new Set<Duplex>()
  #opening = 0

  constructor (private readonly options: OutgoingProxiesOptions) {}

  /** Closes all connections. */
  close (): void {
    for (const socket of this.#open) socket.destroy()
  }

  /** Returns an HTTP proxy for CONNECT, and for requests with a whole address. */
  proxy (): Server {
    // An upload may take any time.
    const server = createHttpServer({ requestTimeout: 0 }, (request, response) => { void this.#forward(request, response) })
    server.on('connect', (request: IncomingMessage, near: Socket, head: Buffer) => { void this.#connect(request, near, head) })
    return this.#counted(server)
  }

  /** Returns a server that forwards connections to one place, whatever the protocol. */
  door (place: HostPort): Server {
    return this.#counted(createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
      this.#tunnel(place).then((far) => joined(near, far), () => near.destroy())
    }))
  }

  #counted (server: Server): Server {
    server.maxConnections = mostConnections
    return server.on('connection', (socket: Socket) => {
      this.#open.add(socket.on('error', () => {}))
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  async #connect ({ url = '' }: IncomingMessage, near: Socket, head: Buffer): Promise<void> {
    try {
      const place = readHostPort(url)
      if (place === null) throw new ProxyRefusal(400, unusable)
      const far = await this.#tunnel(place)
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) near.unshift(head)
      joined(near, far)
    } catch (error) {
      const { status, message } = await answerTo(error)
      near.end([
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Content-Type: text/plain; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(message)}`, 'Connection: close', '', message
      ].join('\r\n'))
    }
  }

  async #tunnel (place: HostPort): Promise<Socket> {
    const { reach, routes } = this.options
    return await this.#reaching(async () => await guardedTunnel(place, guardOf(reach, place), routes()))
  }

  async #forward (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = new AbortController()
    response.once('close', () => over.abort())
    const { url: address = '', method = 'GET', headers } = request
    try {
      const place = address.startsWith('http://') ? hostPortOf(address) : null
      if (place === null) throw new ProxyRefusal(400, unusable)
      const { reach, routes } = this.options
      const agent = await outgoingAgent(guardOf(reach, place), { pipelining: 0, headersTimeout: 0, bodyTimeout: 0 }, routes())
      try {
        const { origin, pathname, search } = new URL(address)
        const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
        const answer = await this.#reaching(async () => await agent.request({
          origin, path: pathname + search, method, headers: passedOn(headers), body: hasBody ? request : null, signal: over.signal
        }))
        response.writeHead(answer.statusCode, passedOn(answer.headers))
        await piped(answer.body, response)
      } finally {
        await agent.destroy()
      }
    } catch (error) {
      if (response.headersSent) response.destroy()
      else {
        const { status, message } = await answerTo(error)
        response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(message)
      }
    }
  }

  /** Throws ProxyRefusal when too many connections are being opened already. */
  async #reaching<T> (reach: () => Promise<T>): Promise<T> {
    if (this.#opening >= mostOpening) throw new ProxyRefusal(503, `${mostOpening} connections are being opened already. Try again.`)
    this.#opening++
    try {
      return await reach()
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal !== undefined) this.options.refused(refusal)
      throw error
    } finally {
      this.#opening--
    }
  }
}

const refusalIn = (error: unknown): OutOfReach | undefined => chainOf(error).find((each) => each instanceof OutOfReach)

/** Joins two sockets; each direction may end before the other. */
function joined (near: Socket, far: Socket): void {
  for (const [from, to] of [[near, far], [far, near]] as const) pipeline(from, to, () => {})
}

async function answerTo (error: unknown): Promise<{ status: number, message: string }> {
  await delay(refusalPauseMs, undefined, { ref: false })
  if (error instanceof ProxyRefusal) return error
  if (refusalIn(error) !== undefined) {
    return { status: 403, message: 'This address is out of reach from the sandbox. The user was told, and can open it in the settings.' }
  }
  const unreached = unreachedBy(error)
  return { status: 502, message: unreached === null ? 'The address cannot be reached.' : `The address ${unreachedInWords(unreached).says}.` }
}

function passedOn<Value> (headers: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const named = String(headers['connection'] ?? '').toLowerCase().split(/[\s,]+/)
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, Value] =>
    entry[1] !== undefined && !notPassedOn.has(entry[0]) && !named.includes(entry[0])))
}
