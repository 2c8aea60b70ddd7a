import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { rates } from '../plugins/ground/rate-limit.js'
import { errors, EventStream, isOn } from '../schemas/common.js'
import { DiagnosticsQuery, DiagnosticsReport, ProbeBytes, probeFrames, ProbeQuery, ProbeUpload } from '../schemas/diagnostics.js'
import { type ProbeRequest } from '../services/areas/diagnostics/index.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { Invalid, TooLarge } from '../services/ground/errors.js'
import { wholeNumber } from './shared/numbers.js'
import { tagged } from './shared/tagged.js'

const [usualHoldS, longestHoldS] = [30, 600]
const longestHeader = 200

/** Problems of the service, its machine and the connection to it. For clients that may change everything, as it reveals the machine. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('system'))
  const { clock, config, diagnostics } = app

  app.get('/api/diagnostics', {
    // Starts programs, and asks providers.
    config: { scope: 'admin', changes: true, rateLimit: rates.diagnostics },
    exposeHeadRoute: false,
    schema: {
      summary: 'Find problems of the service and its machine, with their fixes',
      description: 'Contains no keys, but names of hosts, jobs, machines and the user of the service. Requests that arrive while the ' +
        'checks run get the same report.',
      querystring: DiagnosticsQuery,
      response: { 200: DiagnosticsReport, ...errors(400, 429) }
    }
  }, async (request) => await diagnostics.report({ profile: request.activeProfile(), thorough: isOn(request.query.thorough) }))

  app.get('/api/diagnostics/stream', {
    // Only a few of these may be open at a time.
    config: { scope: 'admin', changes: true, rateLimit: rates.diagnostics },
    exposeHeadRoute: false,
    schema: {
      summary: 'Test how a proxy passes on an event stream: the request as received, then frames at known times (Server-Sent Events)',
      description: 'For checks of a reverse proxy. `seen` comes first, then eight `tick` frames 150 ms apart, then `end` after `hold_s` ' +
        'seconds (1 to 600, default 30). 429 when 8 such streams are open.',
      querystring: ProbeQuery,
      response: { 200: EventStream('ProbeEvent', probeFrames, 'Server-Sent Events, until `end`'), ...errors(400, 429) }
    }
  }, async (request, reply) => {
    app.eventStreams.send(request, reply, diagnostics.probes.open(seenOf(request)), { keepalive: 'keepalive' })
    return reply
  })

  /** Returns a request as it arrived, and as the service interprets it. */
  function seenOf (request: FastifyRequest<{ Querystring: { hold_s?: string } }>): ProbeRequest {
    const { headers, host, ip, ips = [], query, socket } = request
    const protocol = request.protocol === 'https' ? 'https' : 'http'
    const holdS = query.hold_s === undefined ? usualHoldS : wholeNumber(query.hold_s) ?? 0
    if (holdS < 1 || holdS > longestHoldS) throw new Invalid(`hold_s must be a whole number from 1 to ${longestHoldS}`)
    const header = (name: string): string | null => {
      const value = headers[name]
      return value === undefined ? null : String(value).slice(0, longestHeader)
    }
    return {
      protocol,
      host,
      address: ip,
      peer: socket.remoteAddress ?? '',
      forwarded_is_believed: ips.length > 1,
      forwarded_for: header('x-forwarded-for'),
      forwarded_proto: header('x-forwarded-proto'),
      forwarded_host: header('x-forwarded-host'),
      last_event_id: header('last-event-id'),
      secure_cookies: config.forceSecureCookies || protocol === 'https',
      max_upload_bytes: config.maxUploadBytes,
      hold_s: holdS,
      at: epochSeconds(clock)
    }
  }

  await app.register(uploads)
}
export default plugin

/** Accepts any bytes and stores none of them. */
const uploads: FastifyPluginAsyncTypebox = async (app) => {
  const { maxUploadBytes } = app.config
  const tooLarge = () => new TooLarge('The body is larger than the largest upload')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/octet-stream', async (_request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    let receivedBytes = 0
    // A body that is slightly too large is still read, so that its sender gets the answer.
    for await (const { length } of payload) {
      receivedBytes += length
      if (receivedBytes > 2 * maxUploadBytes) throw tooLarge()
    }
    return { receivedBytes }
  })

  app.post('/api/diagnostics/upload', {
    config: { scope: 'admin', rateLimit: rates.diagnostics },
    schema: {
      summary: 'Test whether a proxy passes on large uploads: accepts bytes and discards them',
      description: 'Send any bytes as `application/octet-stream`; the answer counts those that arrived. 413 above ' +
        'the size limit of uploads.',
      consumes: ['application/octet-stream'],
      body: ProbeBytes,
      response: { 200: ProbeUpload, ...errors(400, 413, 429) }
    }
  }, async ({ body }) => {
    // Without a body, there are no bytes to count.
    const { receivedBytes = 0 } = body as { receivedBytes?: number }
    if (receivedBytes > maxUploadBytes) throw tooLarge()
    return { received_bytes: receivedBytes }
  })
}
