import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { wordsFor } from '../../ground/languages/index.js'
import { linesLost } from '../../ground/output.js'
import { portOf } from '../../ground/port-of.js'

export interface WaitingRoom {
  /** Listens, and returns the port; rejects if it cannot listen. */
  open (): Promise<number>
  /** A fraction from 0 to 1. */
  progress: number
  close (): Promise<void>
}

const retryAfterS = 5

/** Answers instead of the service while its database is upgraded: that it is alive, not ready, and how far the upgrade is. */
export function createWaitingRoom ({ host, port }: { host: string, port: number }): WaitingRoom {
  const server = createServer((request, response) => { answer(request, response, room.progress) })
  server.on('clientError', (_error, socket) => { socket.destroy() })
  const room: WaitingRoom = {
    progress: 0,
    async open () {
      server.listen(port, host)
      await once(server, 'listening')
      return portOf(server)
    },
    async close () {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
  return room
}

function answer (request: IncomingMessage, response: ServerResponse, progress: number): void {
  // The body of the request is discarded.
  request.resume()
  const path = request.url?.split('?')[0]
  if (path === '/livez') return send(response, 200, 'application/json', JSON.stringify({ status: 'ok' }))
  response.setHeader('Retry-After', String(retryAfterS))
  const message = `upgrading ${percent(progress)}`
  const upgrade = { reason: 'upgrading', message, progress: Math.round(progress * 10_000) / 10_000 }
  if (path === '/readyz') {
    return send(response, 503, 'application/json', JSON.stringify({ status: 'unavailable', ...upgrade, database: false, agent: false }))
  }
  if (path === '/health') {
    return send(response, 503, 'application/json', JSON.stringify({
      status: 'upgrading', ...upgrade, active_streams: 0, active_runs: 0, uptime_seconds: Math.round(process.uptime() * 10) / 10,
      log_lines_dropped: linesLost()
    }))
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
