import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { type TestLike } from './app.js'
import { listening } from './listening.js'

/** Requests to a proxy: `CONNECT host:port`, `GET http://host/path`, or `SOCKS host:port`. */
export interface TestProxy {
  port: number
  seen: string[]
  /** Status with which it answers tunnels; `silence`: it does not answer at all. */
  answer: number | 'silence' | null
  /** `user:password` of an admitted client; null: everyone is admitted. */
  admit: string | null
}

export interface ProxyOptions {
  /** Actual port of each host, on this machine. */
  hosts: Record<string, number>
  /** Key and certificate that it presents in place of servers: it terminates their TLS. */
  intercept?: { key: string, cert: string }
  /** Key and certificate for TLS to the proxy itself. */
  secure?: { key: string, cert: string }
}

function joined (near: Socket, far: Socket): void {
  for (const [from, to] of [[near, far], [far, near]] as const) from.on('error', () => to.destroy()).on('close', () => to.destroy()).pipe(to)
}

/** Starts an HTTP proxy on a port of its own: tunnels, and requests with an absolute address. */
export async function startProxy (t: TestLike, { hosts, intercept, secure }: ProxyOptions): Promise<TestProxy> {
  const self: TestProxy = { port: 0, seen: [], answer: null, admit: null }
  const isAdmitted = ({ headers }: IncomingMessage): boolean =>
    self.admit === null || headers['proxy-authorization'] === `Basic ${Buffer.from(self.admit).toString('base64')}`
  const server = secure === undefined ? createServer() : createHttpsServer(secure)
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    self.seen.push(`${incoming.method} ${incoming.url}`)
    if (self.answer === 'silence') return
    const url = new URL(incoming.url ?? '')
    const port = hosts[url.hostname]
    if (!isAdmitted(incoming) || self.answer !== null || port === undefined) {
      outgoing.writeHead(isAdmitted(incoming) ? self.answer ?? 502 : 407, { 'proxy-authenticate': 'Basic realm="test"' }).end()
      return
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers
    incoming.pipe(httpRequest({ port, host: '127.0.0.1', path: url.pathname + url.search, method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
    }))
  })
  server.on('connect', (request: IncomingMessage, near: Socket) => {
    near.on('error', () => {})
    self.seen.push(`CONNECT ${request.url}`)
    if (self.answer === 'silence') return
    const port = hosts[/^(.*):\d+$/.exec(request.url ?? '')?.[1] ?? '']
    const status = !isAdmitted(request) ? 407 : self.answer ?? (port === undefined ? 502 : 200)
    near.write(`HTTP/1.1 ${status} Whatever\r\n${status === 407 ? 'Proxy-Authenticate: Basic realm="test"\r\n' : ''}\r\n`)
    if (status !== 200 || port === undefined) near.end()
    else if (intercept === undefined) joined(near, connect(port, '127.0.0.1'))
    else createTlsServer(intercept, (plain) => joined(plain, connect(port, '127.0.0.1'))).emit('connection', near)
  })
  self.port = await listening(t, server)
  return self
}

/** Starts a SOCKS proxy (RFC 1928) for one connection after the other, with a login if `admit` requires one. */
export async function startSocksProxy (t: TestLike, { hosts }: ProxyOptions): Promise<TestProxy> {
  const self: TestProxy = { port: 0, seen: [], answer: null, admit: null }
  async function serve (near: Socket): Promise<void> {
    const chunk = async (): Promise<Buffer> => (await once(near, 'data'))[0] as Buffer
    await chunk()
    near.write(Buffer.from([5, self.admit === null ? 0 : 2]))
    if (self.admit !== null) {
      const login = await chunk()
      const user = login.subarray(2, 2 + login[1]!)
      const isRight = `${user.toString()}:${login.subarray(3 + user.length).toString()}` === self.admit
      near.write(Buffer.from([1, isRight ? 0 : 1]))
      if (!isRight) return
    }
    const wanted = await chunk()
    const host = wanted.subarray(5, 5 + wanted[4]!).toString()
    self.seen.push(`SOCKS ${host}:${wanted.readUInt16BE(wanted.length - 2)}`)
    const port = hosts[host]
    near.write(Buffer.from([5, self.answer ?? (port === undefined ? 4 : 0), 0, 1, 0, 0, 0, 0, 0, 0].map(Number)))
    if (port !== undefined && self.answer === null) joined(near, connect(port, '127.0.0.1'))
  }
  self.port = await listening(t, createTcpServer((near) => { void serve(near).catch(() => near.destroy()) }))
  return self
}

/** Creates a certificate authority in a folder, and a certificate signed by it for some names. */
export function makeAuthority (folder: string, names: readonly string[]): { authority: string, key: string, cert: string } {
  const at = (name: string): string => join(folder, name)
  const run = (...args: string[]): void => { execFileSync('openssl', args, { stdio: 'ignore', cwd: folder }) }
  run('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test authority')
  run('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=proxied')
  writeFileSync(at('names'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`)
  run('x509', '-req', '-in', 'own.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', 'own.pem')
  return { authority: at('ca.pem'), key: readFileSync(at('own.key'), 'utf8'), cert: readFileSync(at('own.pem'), 'utf8') }
}
