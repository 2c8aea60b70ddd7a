import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import t, { type Test } from '#test'
import { judge, type ConnectionCheck, type ConnectionFinding } from '../../web/src/core/diagnostics/judge.js'
import { linesOf } from '../../web/src/core/diagnostics/lines.js'
import { measure, sent, type Measured } from '../../web/src/core/diagnostics/probe.js'
import { start, type TestService } from '../support/app.js'
import { listening, serving } from '../support/listening.js'

interface Faults {
  /** Changes the headers sent to the service. By default they are those of a well-configured proxy. */
  headers?: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders
  /** Passes the body of an answer on. */
  body?: (answer: IncomingMessage, response: ServerResponse) => unknown
  /** Refuses larger bodies, as nginx does. */
  mostBytes?: number
}

/** Starts a reverse proxy in front of a service, with the given faults. */
async function proxyTo (t: Test, service: TestService, { headers = (given) => given, body, mostBytes = Infinity }: Faults): Promise<string> {
  return await serving(t, (incoming, response) => {
    if (Number(incoming.headers['content-length'] ?? 0) > mostBytes) {
      incoming.resume()
      response.writeHead(413, { 'content-type': 'text/html', connection: 'close' }).end('<h1>413 Request Entity Too Large</h1>')
      return
    }
    const set = headers({ ...incoming.headers, 'x-forwarded-for': '198.51.100.9', 'x-forwarded-proto': 'http' })
    const outgoing = request(service.url + (incoming.url ?? ''), { method: incoming.method, headers: set }, (answer) => {
      if (body !== undefined && answer.headers['content-type'] === 'text/event-stream') return body(answer, response)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
}

const measured = async (origin: string, headers: Record<string, string> = {}): Promise<Measured> =>
  await measure({ origin, headers: () => headers, holdS: 1 })

/** Returns the verdicts that are not ok, by check. */
function problems (found: ConnectionFinding[]): Partial<Record<ConnectionCheck, string>> {
  return Object.fromEntries(found.filter(({ status }) => status !== 'ok').map(({ check, verdict }) => [check, verdict]))
}

const throughProxy = async (t: Test, service: TestService, faults: Faults) =>
  problems(judge(await measured(await proxyTo(t, service, faults))))

t.test('a service, and a proxy in front of it', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback', SVC_WEBUI_MAX_UPLOAD_MB: '3' } })
  t.same(problems(judge(await measured(service.url))), {}, 'nothing is wrong without a proxy')

  await t.test('that is set up well', async (t) => {
    t.same(await throughProxy(t, service, {}), {})
  })

  await t.test('that buffers until the stream is over', async (t) => {
    const found = await throughProxy(t, service, {
      async body (answer, response) {
        const all = await buffer(answer)
        response.writeHead(200, answer.headers).end(all)
      }
    })
    t.same(found, { buffering: 'buffered' })
  })

  await t.test('that compresses', async (t) => {
    const found = await throughProxy(t, service, {
      body (answer, response) {
        response.writeHead(200, { ...answer.headers, 'content-encoding': 'gzip' })
        answer.pipe(createGzip()).pipe(response)
      }
    })
    t.match(found, { compression: 'compressed' })
  })

  await t.test('that cuts streams after half a second', async (t) => {
    const found = await throughProxy(t, service, {
      body (answer, response) {
        response.writeHead(200, answer.headers)
        answer.pipe(response)
        setTimeout(() => response.destroy(), 500)
      }
    })
    t.same(found, { timeout: 'wasCut' })
  })

  await t.test('that takes ids out, and one that loses Last-Event-ID', async (t) => {
    t.same(await throughProxy(t, service, {
      body (answer, response) {
        response.writeHead(200, answer.headers)
        answer.on('data', (chunk: Buffer) => response.write(chunk.toString().replaceAll(/^id: .*\n/gm, '')))
        answer.on('end', () => response.end())
      }
    }), { ids: 'idsLost' })
    t.same(await throughProxy(t, service, { headers: ({ 'last-event-id': _, ...rest }) => rest }), { ids: 'lastIdLost' })
  })

  await t.test('that names itself as the host, or another protocol', async (t) => {
    t.same(await throughProxy(t, service, { headers: (given) => ({ ...given, host: new URL(service.url).host }) }), { host: 'hostWrong' })
    const claims = await throughProxy(t, service, { headers: (given) => ({ ...given, 'x-forwarded-proto': 'https' }) })
    t.same(claims, { scheme: 'schemeClaimed', cookies: 'cookiesLost' })
  })

  await t.test('that refuses large bodies', async (t) => {
    const origin = await proxyTo(t, service, { mostBytes: 1024 ** 2 })
    const found = judge(await measured(origin))
    t.same(problems(found), { upload: 'uploadRefused' })
    const { fix, fixValue = '' } = found.find(({ check }) => check === 'upload') ?? {}
    t.match(fix == null ? [] : linesOf(fix, fixValue), [{ program: 'nginx', text: 'client_max_body_size 4m;' }, { program: 'Caddy' }, { program: 'Traefik' }])
  })

  await t.test('that answers itself, or does not run', async (t) => {
    const port = await listening(t, createServer((_request, response) => response.end('<h1>It works!</h1>')))
    t.match(problems(judge(await measured(`http://127.0.0.1:${port}`))), { reach: 'noStream' })
    t.match(problems(judge(await measured('http://127.0.0.1:1'))), { reach: 'unreachable' })
    const secure = `https://127.0.0.1:${port}`
    t.match(judge(await measured(secure))[0], { verdict: 'unreachable', value: /SSL|TLS/ }, 'what is wrong with TLS')
  })
  t.equal(service.app.diagnostics.probes.size(), 0, 'nothing stays of probes')
})

t.test('a proxy that is not trusted', async (t) => {
  const service = await start(t)
  const found = judge(await measured(await proxyTo(t, service, {})))
  t.same(problems(found), { address: 'addressNotBelieved' })
  const { fix, fixValue = '' } = found.find(({ check }) => check === 'address') ?? {}
  t.same(fix == null ? [] : linesOf(fix, fixValue), [{ program: 'environment', text: 'SVC_WEBUI_TRUSTED_PROXIES=loopback' }])
})

t.test('a service that wants a sign-in', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.match(judge(await measured(service.url)), [{ check: 'reach', verdict: 'refused', value: '401' }, { check: 'encryption' }])
})

t.test('probes are bounded in number and in seconds', async (t) => {
  const service = await start(t)
  for (const seconds of ['0', '601', 'x', '']) t.equal((await service.get(`/api/diagnostics/stream?hold_s=${seconds}`)).status, 400, seconds)
  const streams = await Promise.all(Array.from({ length: 8 }, async () => await service.events('/api/diagnostics/stream?hold_s=600')))
  t.equal((await service.get('/api/diagnostics/stream')).status, 429)
  for (const stream of streams) stream.drop()
})

t.test('https that ends at a proxy', async (t) => {
  const seen = {
    protocol: 'https' as const, host: 'agent.example.org', address: '198.51.100.9', peer: '::ffff:172.18.0.1', forwarded_is_believed: true,
    forwarded_for: '198.51.100.9', forwarded_proto: 'https', forwarded_host: null, last_event_id: sent.lastEventId, secure_cookies: true,
    max_upload_bytes: 20 * 1024 ** 2, hold_s: 30, at: 0
  }
  const usual: Measured = {
    used: { protocol: 'https', host: 'agent.example.org', isLocal: false },
    answer: { status: 200, type: 'text/event-stream', encoding: null }, failure: '', seen,
    ticks: [{ sentMs: 0, arrivedMs: 900 }, { sentMs: 1_200, arrivedMs: 2_100 }], hasIds: true, isWhole: true, openS: 30, clockAheadS: 1,
    upload: { bytes: 20 * 1024 ** 2, status: 200 }
  }
  const of = (change: Partial<NonNullable<Measured['seen']>>, more: Partial<Measured> = {}) => problems(judge({ ...usual, ...more, seen: { ...seen, ...change } }))
  t.same(of({}), {})
  t.same(of({ host: 'agent.example.org:443' }), {})
  t.same(of({ protocol: 'http', secure_cookies: false, forwarded_is_believed: false, address: '172.18.0.1' }),
    { scheme: 'schemeNotBelieved', address: 'addressNotBelieved', cookies: 'cookiesOpen' })
  t.same(of({ protocol: 'http', secure_cookies: false, forwarded_proto: null }), { scheme: 'schemeWrong', cookies: 'cookiesOpen' })
  t.same(of({ forwarded_for: null, address: '172.18.0.1' }), { address: 'addressMissing' })
  t.same(of({ forwarded_for: sent.forwardedFor, address: sent.forwardedFor }), { address: 'addressForged' })
  t.same(of({ forwarded_for: `${sent.forwardedFor}, 198.51.100.9` }), {}, 'what is appended to is fine where the last one counts')
  t.same(of({}, { clockAheadS: -500 }), { clock: 'clockWrong' })
  t.same(of({}, { upload: null }), { upload: 'uploadUntried' })
  t.same(of({}, { upload: { bytes: 1, status: 0 } }), { upload: 'uploadCut' })
  t.same(of({}, { upload: { bytes: 1, status: 429 } }), { upload: 'uploadUnjudged' })
  t.same(of({}, { upload: { bytes: 1, status: 413 } }), { upload: 'uploadRefused' })
  t.same(of({}, { ticks: [] }), { buffering: 'undelivered' })
  t.same(problems(judge({ ...usual, used: { protocol: 'http', host: 'agent.example.org', isLocal: false } })).encryption, 'plain')
  const plain = { used: { protocol: 'http' as const, host: 'agent.example.org', isLocal: false } }
  const bare = {
    protocol: 'http' as const, secure_cookies: false, forwarded_is_believed: false, forwarded_for: sent.forwardedFor, forwarded_proto: null
  }
  t.equal(of({ ...bare, peer: '127.0.0.1', address: '127.0.0.1' }, plain).address, 'addressMissing', 'a proxy beside the service')
  t.equal(of({ ...bare, peer: '192.168.1.7', address: '192.168.1.7' }, plain).address, undefined, 'perhaps nothing stands in between')
  t.equal(of({ ...bare, address: sent.forwardedFor }, plain).address, 'addressForged')
  const [trust] = judge({ ...usual, seen: { ...seen, forwarded_is_believed: false } }).filter(({ fix }) => fix !== null)
  t.match(trust, { fix: 'trust', fixValue: '172.18.0.1' })
})
