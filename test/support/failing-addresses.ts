import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Test } from '#test'
import { temporaryFolder } from './folder.js'
import { freePort, listening, serving } from './listening.js'

export const http = async (t: Test, listener: RequestListener): Promise<string> => `${await serving(t, listener)}/v1`
export const raw = async (t: Test, on: (socket: Socket) => void): Promise<number> => await listening(t, createServer(on))

export async function selfSigned (t: Test): Promise<string> {
  const folder = temporaryFolder(t, 'tls')
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' })
  return `https://127.0.0.1:${await listening(t, createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => { response.end('{}') }))}/v1`
}

export const page = '<!doctype html><html><title>Welcome</title></html>'
export const answering = (status: number, headers: Record<string, string>, body: string | Buffer): RequestListener => (request, response) => {
  request.resume()
  response.writeHead(status, headers).end(body)
}

/** Addresses that each have a fault which only the service itself notices: `code` is what the log reports. */
export interface FailingAddress { what: string, url: string, code: RegExp }

export async function failingAddresses (t: Test): Promise<FailingAddress[]> {
  const spoken = await http(t, answering(200, {}, '{}'))
  const told: Array<[what: string, url: string, code: RegExp]> = [
    ['closed', `http://127.0.0.1:${await freePort()}/v1`, /^ECONNREFUSED$/],
    ['unnamed', 'https://nowhere.invalid/v1', /^(ENOTFOUND|EAI_AGAIN)$/],
    ['self-signed', await selfSigned(t), /CERT/],
    ['not-tls', spoken.replace('http:', 'https:'), /^(ERR_SSL_\w+|EPROTO)$/],
    ['not-http', `http://127.0.0.1:${await raw(t, (socket) => { socket.end('220 mail.example.org ESMTP\r\n') })}/v1`, /^(HPE_\w+|HTTPParserError)$/],
    ['web-page', await http(t, answering(200, { 'content-type': 'text/html' }, page)), /^web_page$/],
    ['missing', await http(t, answering(404, { 'content-type': 'text/plain' }, 'not here')), /^http_404$/],
    ['failing', await http(t, answering(500, { 'content-type': 'text/plain' }, 'oh no')), /^http_500$/],
    ['false-gzip', await http(t, answering(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, '{"a": 1}')), /^Z_DATA_ERROR|^HPE_|ERR_/],
    ['reset', `http://127.0.0.1:${await raw(t, (socket) => { socket.once('data', () => { socket.resetAndDestroy() }) })}/v1`, /^(ECONNRESET|UND_ERR_SOCKET)$/],
    ['silent', await http(t, (request) => { request.resume() }), /^timeout$/]
  ]
  return told.map(([what, url, code]) => ({ what, url, code }))
}
