import { once } from 'node:events'
import { request } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { codeOf } from '../errors.js'
import { timeLimit } from '../time/time-limit.js'
import { unreachedBy } from '../network/unreached.js'
import { type Proxy } from './routes.js'
import { ProxyTrouble } from './trouble.js'

interface Target { host: string, port: number }

const limitMs = 10_000

/** Opens a connection to the proxy itself. Rejects with ProxyTrouble. */
export async function connectToProxy (proxy: Proxy): Promise<Socket> {
  return await limited(proxy, limitMs, async (signal) => await opened(proxy, signal))
}

/** Opens a connection through a proxy to its target, for any protocol. Rejects with ProxyTrouble. */
export async function openTunnel (proxy: Proxy, target: Target, timeoutMs = limitMs): Promise<Socket> {
  return await limited(proxy, timeoutMs, async (signal) => {
    const socket = await opened(proxy, signal)
    const destroy = (): void => { socket.destroy() }
    signal.addEventListener('abort', destroy, { once: true })
    try {
      return await (proxy.kind === 'http' ? askHttp(socket, proxy, target) : await askSocks(socket, proxy, target, signal))
    } catch (error) {
      socket.on('error', () => {}).destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', destroy)
    }
  })
}

/** Returns the header that authenticates to a proxy of kind `http`; empty if it needs none. */
export function proxyAuthorization ({ login }: Proxy): Record<string, string> {
  if (login === null) return {}
  return { 'proxy-authorization': `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}` }
}

async function limited<T> (proxy: Proxy, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, clear } = timeLimit(timeoutMs)
  try {
    return await work(signal)
  } catch (error) {
    if (signal.aborted) throw new ProxyTrouble('silent', proxy.shown, null, { cause: error })
    throw error
  } finally {
    clear()
  }
}

async function opened ({ host, port, isEncrypted, shown }: Proxy, signal: AbortSignal): Promise<Socket> {
  const socket = isEncrypted
    ? connectTls({ host, port, ...isIP(host) === 0 && { servername: host }, ALPNProtocols: ['http/1.1'] })
    : connect({ host, port })
  try {
    await once(socket, isEncrypted ? 'secureConnect' : 'connect', { signal })
    socket.setNoDelay(true)
    return socket
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw new ProxyTrouble(
      unreachedBy(error)?.cause === 'certificate' ? 'untrusted' : 'unreached', shown, codeOf(error) ?? null, { cause: error }
    )
  }
}

/** RFC 9110, section 9.3.6. */
async function askHttp (socket: Socket, proxy: Proxy, { host, port }: Target): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return await new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT', path: authority, headers: { host: authority, ...proxyAuthorization(proxy) }, createConnection: () => socket
    })
    asking.on('connect', ({ statusCode = 0 }, connection: Socket, head: Buffer) => {
      connection.removeAllListeners('timeout')
      if (head.length > 0) connection.unshift(head)
      if (statusCode >= 200 && statusCode < 300) resolve(connection)
      else reject(new ProxyTrouble(problemOf(statusCode), proxy.shown, statusCode))
    })
    asking.on('error', (error) => {
      const isNone = unreachedBy(error)?.cause === 'no_http'
      reject(new ProxyTrouble(isNone ? 'no_proxy' : 'failed', proxy.shown, isNone ? null : codeOf(error) ?? null, { cause: error }))
    })
    asking.end()
  })
}

function problemOf (status: number): 'login' | 'failed' | 'no_proxy' | 'refused' {
  if (status === 407) return 'login'
  if (status >= 500 && status !== 501) return 'failed'
  // Statuses with which a web server answers a method that it does not know.
  return [400, 404, 405, 501].includes(status) ? 'no_proxy' : 'refused'
}

const socksVersion = 5
const [noLogin, passwordLogin] = [0, 2]
/** Address types, and how many bytes each address has. */
const [ipv4, name, ipv6] = [1, 3, 4]
const [ipv4Bytes, ipv6Bytes, portBytes] = [4, 16, 2]
/** "Connection not allowed by ruleset". */
const notAllowed = 2

/** RFC 1928, and RFC 1929 for user and password. The proxy resolves the name. */
async function askSocks (socket: Socket, { login, shown }: Proxy, { host, port }: Target, signal: AbortSignal): Promise<Socket> {
  const answer = async (bytes: number): Promise<number[]> => [...await readExactly(socket, bytes, signal)
    .catch((error: unknown) => { throw new ProxyTrouble('failed', shown, codeOf(error) ?? null, { cause: error }) })]
  const methods = login === null ? [noLogin] : [noLogin, passwordLogin]
  socket.write(Buffer.from([socksVersion, methods.length, ...methods]))
  const [version, method] = await answer(2)
  if (version !== socksVersion) throw new ProxyTrouble('no_proxy', shown)
  if (method === passwordLogin && login !== null) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(login.user), counted(login.password)]))
    const [, status] = await answer(2)
    if (status !== 0) throw new ProxyTrouble('login', shown)
  } else if (method !== noLogin) throw new ProxyTrouble('login', shown)
  socket.write(Buffer.concat([Buffer.from([socksVersion, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]))
  const [, reply = 1, , type] = await answer(4)
  if (reply !== 0) throw new ProxyTrouble(reply === notAllowed ? 'refused' : 'failed', shown, `SOCKS ${reply}`)
  const [length = 0] = type === name ? await answer(1) : [type === ipv6 ? ipv6Bytes : ipv4Bytes]
  await answer(length + portBytes)
  return socket
}

/** Returns a text with its length before it, at most 255 bytes. */
function counted (text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

function addressOf (host: string): Buffer {
  if (isIP(host) === 0) return Buffer.concat([Buffer.from([name]), counted(host)])
  return Buffer.from([isIP(host) === 4 ? ipv4 : ipv6, ...ipaddr.parse(host).toByteArray()])
}

/** Reads exactly `bytes` and leaves what follows in the socket. Rejects if the connection ends earlier. */
async function readExactly (socket: Socket, bytes: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let length = 0; length < bytes;) {
    const piece: unknown = socket.read()
    if (piece instanceof Buffer) {
      pieces.push(piece)
      length += piece.length
    } else if (socket.readableEnded || socket.destroyed) throw Object.assign(new Error('The connection ended'), { code: 'ECONNRESET' })
    else await more(socket, signal)
  }
  const read = Buffer.concat(pieces)
  if (read.length > bytes) socket.unshift(read.subarray(bytes))
  return read.subarray(0, bytes)
}

/** Resolves when there is more to read, or nothing more will come. */
async function more (socket: Socket, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController()
  const until = AbortSignal.any([signal, waiting.signal])
  try {
    await Promise.race(['readable', 'end', 'close'].map(async (event) => await once(socket, event, { signal: until })))
  } finally {
    waiting.abort()
  }
}
