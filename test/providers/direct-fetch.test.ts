import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from '#test'
import { unreachedBy } from '../../services/ground/network/unreached.js'
import { directFetch } from '../../services/providers/direct-fetch.js'
import { PlainHeaders, plainResponse } from '../../services/providers/plain-response.js'
import { answering, http, raw, selfSigned } from '../support/failing-addresses.js'
import { freePort, listening } from '../support/listening.js'

// Whatever a server does, the outcome is that of fetch.

const post = (signal: AbortSignal = AbortSignal.timeout(5_000)): RequestInit => ({
  method: 'POST', redirect: 'manual', signal, body: '{"what":"ä"}', headers: { 'content-type': 'application/json', authorization: 'Bearer of-mine \n' }
})

async function outcome (fetch: typeof globalThis.fetch, url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init)
    const { status, statusText, ok } = response
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !/^(?:date|connection|keep-alive)$/.test(name)))
    const text = await response.text().catch((error: Error) => `${error.name}: ${error.message}, ${unreachedBy(error)?.cause ?? ''}`)
    return { status, statusText, ok, headers, text }
  } catch (error) {
    return { name: (error as Error).name, message: (error as Error).message, cause: unreachedBy(error)?.cause ?? null }
  }
}

const text = 'data: {"ä": 1}\n\n'.repeat(50)
const packed = (coding: string, body: Buffer): RequestListener => answering(200, { 'content-type': 'text/event-stream', 'content-encoding': coding }, body)

const servers: Record<string, (t: Test) => Promise<string>> = {
  'an answer': async (t) => await http(t, answering(200, { 'content-type': 'application/json', 'x-more': ' b' }, '{"a":"ä"}')),
  'several headers of one name': async (t) => await http(t, (request, response) => {
    request.resume()
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], link: ['<a>', '<b>'] }).end()
  }),
  'an answer without content': async (t) => await http(t, answering(204, {}, '')),
  'a refusal': async (t) => await http(t, answering(401, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')),
  'a proxy that wants a login': async (t) => await http(t, answering(407, {}, '')),
  'a redirect': async (t) => await http(t, answering(307, { location: 'http://other.example/' }, '')),
  gzip: async (t) => await http(t, packed('gzip', gzipSync(text))),
  'x-gzip': async (t) => await http(t, packed('X-Gzip', gzipSync(text))),
  deflate: async (t) => await http(t, packed('deflate', deflateSync(text))),
  'deflate without a header': async (t) => await http(t, packed('deflate', deflateRawSync(text))),
  'deflate that ends early': async (t) => await http(t, packed('deflate', deflateRawSync(text).subarray(0, 20))),
  'deflate without a body': async (t) => await http(t, packed('deflate', Buffer.alloc(0))),
  brotli: async (t) => await http(t, packed('br', brotliCompressSync(text))),
  'two codings': async (t) => await http(t, packed('deflate, gzip', gzipSync(deflateSync(text)))),
  'an unknown coding': async (t) => await http(t, packed('rot13', Buffer.from(text))),
  'false gzip': async (t) => await http(t, packed('gzip', Buffer.from(text))),
  'gzip that ends early': async (t) => await http(t, packed('gzip', gzipSync(text).subarray(0, 40))),
  'a body that breaks off': async (t) => await http(t, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-length': '100' }).write('half', () => { response.socket?.destroy() })
  }),
  'chunks that break off': async (t) => await http(t, (request, response) => {
    request.resume()
    response.writeHead(200).write('half', () => { response.socket?.destroy() })
  }),
  'a reset': async (t) => `http://127.0.0.1:${await raw(t, (socket) => { socket.once('data', () => { socket.resetAndDestroy() }) })}/v1`,
  'no HTTP': async (t) => `http://127.0.0.1:${await raw(t, (socket) => { socket.end('220 mail.example.org ESMTP\r\n') })}/v1`,
  'another protocol': async (t) => `http://127.0.0.1:${await raw(t, (socket) => { socket.once('data', () => { socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n') }) })}/v1`,
  'huge headers': async (t) => await http(t, answering(200, { 'x-huge': 'x'.repeat(20_000) }, '')),
  'a port of mail': async () => 'http://127.0.0.1:25/v1',
  'a port of X': async () => 'http://127.0.0.1:6000/v1',
  'a closed port': async () => `http://127.0.0.1:${await freePort()}/v1`,
  'a password in the address': async (t) => (await http(t, answering(200, {}, ''))).replace('//', '//me:secret@'),
  'a certificate of its own': selfSigned,
  'https where http is spoken': async (t) => (await http(t, answering(200, {}, '{}'))).replace('http:', 'https:')
}

for (const [what, at] of Object.entries(servers)) {
  t.test(what, async (t) => {
    const url = await at(t)
    t.match(await outcome(directFetch, url, post()), await outcome(globalThis.fetch, url, post()))
  })
}

t.test('a status that is none is passed on', async (t) => {
  const url = `http://127.0.0.1:${await raw(t, (socket) => { socket.once('data', () => { socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nno') }) })}/v1`
  t.match(await outcome(directFetch, url, post()), { status: 999, statusText: 'Odd', text: 'no' })
})

t.test('headers are those of fetch', async (t) => {
  const inits = [
    [['X-B', ' b\t'], ['a', '1'], ['x-b', '2'], ['Set-Cookie', 'a=1; expires=Mon, 1'], ['set-cookie', 'b=2']],
    { 'Content-Type': 'a/b', accept: 'c' }, new Headers({ Q: 'r' }), []
  ] satisfies Array<RequestInit['headers']>
  for (const init of inits) {
    const [own, theirs] = [new PlainHeaders(init), new Headers(init)]
    for (const headers of [own, theirs]) {
      headers.set('N', 'new\n')
      headers.append('n', 'more')
      headers.delete('ACCEPT')
    }
    const facts = (headers: Headers) => [
      [...headers], [...headers.keys()], [...headers.values()], headers.get('X-B'), headers.get('set-cookie'), headers.get('none'),
      headers.getSetCookie(), headers.has('n'), headers.has('none')
    ]
    t.same(facts(own), facts(theirs))
    const listed: string[] = []
    own.forEach((value, name) => listed.push(`${name}: ${value}`))
    t.same(listed, [...theirs].map(([name, value]) => `${name}: ${value}`))
  }
})

t.test('answers are those of fetch', async (t) => {
  const json = '{"ä":[1]}'
  const init = { status: 203, statusText: 'So', headers: new Headers({ 'content-type': 'application/json' }) }
  const made = (body: string | null = json) => [plainResponse(body === null ? null : new Blob([body]).stream(), init), new Response(body, init)] as const
  for (const read of ['text', 'json', 'arrayBuffer'] as const) {
    const [own, theirs] = made()
    t.same(await own[read](), await theirs[read](), read)
    t.same([own.bodyUsed, own.ok, own.status, own.statusText], [theirs.bodyUsed, theirs.ok, theirs.status, theirs.statusText])
    await t.rejects(own[read](), { name: 'TypeError', message: /already been read/ })
    t.throws(() => own.clone(), { name: 'TypeError' })
  }
  const [own, theirs] = made()
  t.same([await own.clone().text(), await own.text()], [json, json], 'a copy is read on its own')
  t.same([(await made()[0].blob()).type, await (await made()[0].blob()).text()], [(await theirs.clone().blob()).type, json])
  t.same([await made(null)[0].text(), made(null)[0].body], ['', null])
  await t.rejects(made('no')[0].json(), { name: 'SyntaxError' })
})

t.test('requests arrive as fetch sends them, but ask for no compression', async (t) => {
  const arrived: unknown[] = []
  const url = await http(t, (request, response) => {
    const { host: _, connection: __, 'accept-language': ___, 'sec-fetch-mode': ____, ...headers } = request.headers
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => { body += piece }).on('end', () => {
      arrived.push({ method: request.method, url: request.url, headers, body })
      response.end('{}')
    })
  })
  for (const init of [post(), { redirect: 'manual', signal: AbortSignal.timeout(5_000) }, { method: 'POST', redirect: 'manual', body: 'plain', signal: AbortSignal.timeout(5_000) }] satisfies RequestInit[]) {
    arrived.length = 0
    for (const fetch of [globalThis.fetch, directFetch]) await (await fetch(`${url}/ä?b=c d`, init)).text()
    const [theirs, own] = arrived as [{ headers: object }, object]
    t.same(own, { ...theirs, headers: { ...theirs.headers, 'accept-encoding': 'identity' } })
  }
})

/** Starts a server that keeps its answers open, and tells of its connections. */
async function open (t: Test): Promise<{ url: string, answers: ServerResponse[], sockets: Set<Socket> }> {
  const answers: ServerResponse[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    answers.push(response)
  }).on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  return { url: `http://127.0.0.1:${await listening(t, server)}`, answers, sockets }
}

t.test('chunks arrive as they are sent, and a finished answer leaves its connection for the next', async (t) => {
  const { url, answers, sockets } = await open(t)
  for (let round = 0; round < 3; round++) {
    const response = await directFetch(url, post())
    const reader = response.body!.getReader()
    t.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 1\n\n')
    answers[round]!.write('data: 2\n\n')
    t.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 2\n\n')
    answers[round]!.end()
    t.equal((await reader.read()).done, true)
  }
  t.equal(sockets.size, 1)
})

t.test('what was sent on a connection that the server has closed is sent once more, on a new one', async (t) => {
  let requests = 0
  let isBroken = false
  const port = await raw(t, (socket) => {
    let isFirst = true
    socket.on('data', () => {
      requests++
      if (isFirst && !isBroken) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      else socket.resetAndDestroy()
      isFirst = false
    })
  })
  const ask = async () => await outcome(directFetch, `http://127.0.0.1:${port}/v1`, post())
  t.match(await ask(), { status: 200, text: 'ok' })
  t.match(await ask(), { status: 200, text: 'ok' })
  t.equal(requests, 3)
  await ask()
  isBroken = true
  requests = 0
  t.match(await ask(), { message: 'fetch failed', cause: 'broke_off' })
  t.ok(requests <= 2, 'no more than once more')
})

t.test('an abort rejects with its reason, before and during the answer, and closes the connection', async (t) => {
  const { url, answers, sockets } = await open(t)
  const reason = new Error('enough')
  await t.rejects(directFetch(url, post(AbortSignal.abort(reason))), reason)
  for (const address of [url, url.replace('http:', 'https:')]) {
    const leaving = new AbortController()
    const left = directFetch(address, post(leaving.signal))
    leaving.abort(reason)
    await t.rejects(left, reason, 'right after the call')
  }
  t.equal(answers.length, 0)
  const silent = `http://127.0.0.1:${await raw(t, () => {})}/v1`
  const waiting = new AbortController()
  const waited = directFetch(silent, post(waiting.signal))
  setTimeout(() => waiting.abort(reason), 20)
  await t.rejects(waited, reason)
  const reading = new AbortController()
  const reader = (await directFetch(url, post(reading.signal))).body!.getReader()
  await reader.read()
  const rest = reader.read()
  const [socket] = sockets
  reading.abort(reason)
  await t.rejects(rest, reason)
  if (socket?.destroyed === false) await once(socket, 'close')
})

t.test('a body that is cancelled closes its connection', async (t) => {
  const { url, sockets } = await open(t)
  const response = await directFetch(url, post())
  const [socket] = sockets
  await response.body!.cancel()
  if (socket?.destroyed === false) await once(socket, 'close')
  t.equal(sockets.size, 0)
})

t.test('a packed body that is cancelled before it begins closes its connection', async (t) => {
  for (const coding of ['gzip', 'deflate', 'br', 'gzip, deflate']) {
    const sockets: Socket[] = []
    const url = await http(t, (request, response) => {
      sockets.push(request.socket)
      request.resume()
      response.writeHead(200, { 'content-encoding': coding }).flushHeaders()
    })
    const response = await directFetch(url, post(new AbortController().signal))
    const [socket] = sockets
    await response.body!.cancel()
    if (socket?.destroyed === false) await once(socket, 'close')
    t.pass(coding)
  }
})

t.test('a body is cancelled at any moment without other consequences, also when all of it has arrived', async (t) => {
  const url = await http(t, (request, response) => {
    request.resume()
    response.end(request.url === '/v1/empty' ? '' : Buffer.alloc(100_000))
  })
  for (const path of ['/empty', '/full']) {
    for (const reads of [0, 1, 2, 50]) {
      const reader = (await directFetch(url + path, post())).body!.getReader()
      for (let read = 1; read < reads; read++) await reader.read()
      if (reads > 0) reader.read().catch(() => {})
      await reader.cancel()
    }
  }
  // What comes after the cancel would end the process.
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal((await (await directFetch(url + '/full', post())).arrayBuffer()).byteLength, 100_000)
})

t.test('reads that wait together are all answered', async (t) => {
  const { url, answers } = await open(t)
  const reader = (await directFetch(url, post())).body!.getReader()
  const [first, second, third] = [reader.read(), reader.read(), reader.read()]
  t.equal(Buffer.from((await first).value!).toString(), 'data: 1\n\n')
  answers[0]!.write('data: 2\n\n')
  t.equal(Buffer.from((await second).value!).toString(), 'data: 2\n\n')
  answers[0]!.end()
  t.equal((await third).done, true)
})

t.test('a reader that waits makes the server wait', async (t) => {
  let taken = 0
  const piece = Buffer.alloc(64 * 1_024)
  const url = await http(t, (request, response) => {
    request.resume()
    const more = (): void => {
      do taken += piece.length
      while (taken < 200 * 1_024 * 1_024 && response.write(piece))
    }
    response.on('drain', more).on('error', () => {})
    more()
  })
  const response = await directFetch(url, post())
  const reader = response.body!.getReader()
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 200))
  t.ok(taken < 50 * 1_024 * 1_024, `${taken} bytes were taken`)
  await reader.cancel()
})
