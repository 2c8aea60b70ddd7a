import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type Duplex } from 'node:stream'
import { wordsFor } from '../../ground/languages/index.js'
import { linesLost } from '../../ground/process/standard-output.js'

export interface WaitingRoom {
  /** A fraction from 0 to 1. */
  progress: number
  /** Listens, if it does not yet; rejects if it cannot. */
  open (): Promise<void>
  /** Ends the upgrade, and listens. Requests wait for the service from now on, except those that only ask whether it is alive. */
  wait (): Promise<void>
  /** Hands the server over to the service, which answers the requests that have waited once it listens (`serverFactory` of Fastify). */
  handOver (handler: RequestListener, options: { keepAliveTimeout?: number, requestTimeout?: number }): Server
  close (): Promise<void>
}

const retryAfterS = 5

/**
 * Listens before the service can. While its database is upgraded, answers that it is alive, not ready, and how far the upgrade is. While
 * the rest of the program loads, requests wait.
 */
export function createWaitingRoom ({ host, port }: { host: string, port: number }): WaitingRoom {
  let take: RequestListener = (request, response) => { answer(request, response, room.progress) }
  const server = createServer((request, response) => { take(request, response) })
  const destroy = (_error: Error, socket: Duplex): void => { socket.destroy() }
  server.on('clientError', destroy)
  const waiting: Array<Parameters<RequestListener>> = []
  const room: WaitingRoom = {
    progress: 0,
    async open () {
      if (server.listening) return
      server.listen(port, host)
      await once(server, 'listening')
    },
    async wait () {
      take = (request, response) => { isLiveCheck(request) ? answerAlive(response) : waiting.push([request, response]) }
      await room.open()
    },
    handOver (handler, { keepAliveTimeout, requestTimeout }) {
      server.off('clientError', destroy)
      return Object.assign(server, {
        ...(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }),
        ...(requestTimeout === undefined ? {} : { requestTimeout }),
        listen: () => {
          server.emit('listening')
          take = handler
          for (const [request, response] of waiting.splice(0)) if (!response.destroyed) handler(request, response)
          return server
        }
      })
    },
    async close () {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
  return room
}

const isLiveCheck = ({ method, url }: IncomingMessage): boolean => method === 'GET' && url?.split('?')[0] === '/livez'
const answerAlive = (response: ServerResponse): void => send(response, 200, 'application/json', JSON.stringify({ status: 'ok' }))

/** Nothing runs yet. */
const countsNow = () => ({
  active_streams: 0, active_runs: 0, uptime_seconds: Math.round(process.uptime() * 10) / 10, log_lines_dropped: linesLost()
})

function answer (request: IncomingMessage, response: ServerResponse, progress: number): void {
  // The body of the request is discarded.
  request.resume()
  const path = request.url?.split('?')[0]
  if (isLiveCheck(request)) return answerAlive(response)
  response.setHeader('Retry-After', String(retryAfterS))
  const message = `upgrading ${percent(progress)}`
  const upgrade = { reason: 'upgrading', message, progress: Math.round(progress * 10_000) / 10_000 }
  if (path === '/readyz') {
    return send(response, 503, 'application/json', JSON.stringify({ status: 'unavailable', ...upgrade, database: false, agent: false }))
  }
  if (path === '/health') {
    return send(response, 503, 'application/json', JSON.stringify({ status: 'upgrading', ...upgrade, ...countsNow() }))
  }
  if (request.method === 'GET' && request.headers.accept?.includes('text/html') === true) {
    return send(response, 503, 'text/html; charset=utf-8', page(progress, request.headers['accept-language']))
  }
  const error = `The service is upgrading its database (${percent(progress)} done). Try again in a few seconds`
  send(response, 503, 'application/json', JSON.stringify({ error, code: 'upgrading' }))
}

function send (response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'", Connection: 'close'
  }).end(body)
}

const percent = (progress: number): string => `${Math.floor(progress * 100)} %`

/** Reloads itself. */
function page (progress: number, accepted: string | undefined): string {
  const { tag, upgrading } = wordsFor([], accepted)
  return `<!doctype html>
<html lang="${tag}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="2">
<title>Upgrading, ${percent(progress)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}progress{width:100%}</style>
<h1>Upgrading</h1>
<p>${upgrading}</p>
<p><progress max="1" value="${progress}"></progress> ${percent(progress)}</p>
</html>
`
}
