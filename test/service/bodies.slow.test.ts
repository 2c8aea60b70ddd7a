import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from '#test'
import { halfCharacterAt, jsonText, mayHoldHalves, wholeCharacters } from '../../services/ground/text/json.js'
import { readImport } from '../../services/areas/sessions/index.js'
import { anyCharacter } from '../support/any-character.js'
import { start, type TestService } from '../support/app.js'
import { said, startChat } from '../support/chat.js'

const mebibyte = 1024 * 1024
const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const json = { 'content-type': 'application/json' }

/** Sends everything over one connection; `sockets` counts how many were used. */
function keepAlive (t: Test, service: TestService) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const sockets = new Set<unknown>()
  const send = async (method: string, path: string, body: Buffer | string, headers: Record<string, string> = json) =>
    await new Promise<{ status: number, body: { error?: string } }>((resolve, reject) => {
      const call = request(service.url + path, { method, agent, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) } }, (response: IncomingMessage) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: /^\s*[{[]/.test(text) ? JSON.parse(text) : {} })
        })
      })
      call.on('socket', (socket) => { sockets.add(socket) })
      call.on('error', reject)
      call.end(body)
    })
  return { send, sockets }
}

/** Returns the longest text that this process parses as JSON while `work` runs: refused bodies must never get there. */
async function longestParsed (work: () => Promise<void>): Promise<number> {
  const { parse } = JSON
  let longest = 0
  JSON.parse = (text: string, reviver) => {
    longest = Math.max(longest, text.length)
    return parse(text, reviver) as unknown
  }
  try {
    await work()
  } finally {
    JSON.parse = parse
  }
  return longest
}

/** Fills `bytes` with as many pieces as fit. */
const filled = (bytes: number, head: string, piece: (index: number) => string, tail: string): Buffer => {
  const pieces = []
  for (let index = 0, left = bytes - head.length - tail.length; left >= 0; index++) left -= pieces[pieces.push(piece(index)) - 1]!.length
  return Buffer.from(head + pieces.slice(0, -1).join('') + tail)
}
/** Bodies as large as a route accepts, and a larger one. */
const hostile: Record<string, (limit: number) => Buffer> = {
  'keys without end': (limit) => filled(limit, '{"session_id":"x","files":{', (index) => `"k${index}":1,`, '"z":1}}'),
  'elements without end': (limit) => filled(limit, '{"session_id":"x","paths":[', () => '1,', '1]}'),
  'deep arrays': (limit) => Buffer.from(`{"a":${'['.repeat(limit / 2 - 10)}${']'.repeat(limit / 2 - 10)}}`),
  'deep objects': (limit) => filled(limit, '', () => '{"a":', ''),
  'an array in each array': (limit) => filled(limit, '{"paths":[', () => '[],', '[]]}'),
  'too many bytes': (limit) => Buffer.alloc(limit + 1, ' ')
}
const manyKeys = hostile['keys without end']!(18 * mebibyte)

t.test('no body that any route takes is built before it is known to be small enough; others are answered meanwhile', { long: true }, async (t) => {
  const service = await start(t)
  const attacker = keepAlive(t, service)
  const { send: ask } = keepAlive(t, service)
  const routes = service.routes.filter(({ method, url }) => changing.has(method) && url !== '*')
  t.ok(routes.length > 60, `${routes.length} routes take a body`)
  const made = new Map<string, Buffer>()
  const problems: string[] = []
  const longest = await longestParsed(async () => {
    for (const { method, url, bodyLimit = mebibyte } of routes) {
      for (const [name, make] of Object.entries(hostile)) {
        const body = made.get(`${name} ${bodyLimit}`) ?? make(bodyLimit)
        made.set(`${name} ${bodyLimit}`, body)
        const [answer, other] = await Promise.all([attacker.send(method, url, body), ask('GET', '/api/auth/status', '', {})])
        // A body this small costs nothing.
        if (body.length <= 16 * 1024 && answer.status < 500) continue
        // OpenAI's interface has its own format for errors; a shared text is not read.
        const said = url.startsWith('/v1/') ? (answer.body.error as { message?: unknown } | undefined)?.message : answer.body.error
        // Shared content gets a page as its answer; the body of a forbidden call, or of an unsigned hook, is not read.
        const refusals = url.startsWith('/api/console/') ? [403] : { '/take-shared': [303], '/api/hooks/:id': [403, 413] }[url] ?? [400, 413, 415]
        const isTold = typeof said === 'string' || url === '/login' || url === '/take-shared'
        const isRefused = refusals.includes(answer.status) && isTold
        if (!isRefused) problems.push(`${url}, ${name}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
        if (other.status !== 200) problems.push(`${url}, ${name}: another client got ${other.status}`)
      }
    }
  })
  t.same(problems, [])
  t.ok(longest < 64 * 1024, `the longest text that was parsed had ${longest} characters`)
  t.equal(attacker.sockets.size, 1, 'the connection of the refused stayed usable')
})

t.test('every limit is told in words', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  const title = (chars: number) => ({ session_id: sessionId, title: 'x'.repeat(chars) })
  t.match(await service.post('/api/session/rename', title(2 * mebibyte)), { status: 413, body: { error: 'The request body is too large: at most 1 MiB' } })
  t.match(await service.post('/api/session/rename', title(5_000)), { status: 200 })
  t.match(await service.post('/api/session/draft', manyKeys.toString()), { status: 413, body: { error: 'The request body is too large: it holds more than 10000 values' } })
  t.match(await service.post('/api/session/rename', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`), { status: 400, body: { error: 'The request body is nested too deeply' } })
  t.match(await service.post('/api/auth/login', { password: 'x'.repeat(20_000) }), { status: 413, body: { error: 'The request body is too large: at most 16 KiB' } })
  const brackets = '[{"'.repeat(5_000)
  t.match(await service.post('/api/session/rename', { session_id: sessionId, title: brackets.slice(0, 9_000) }), { status: 200 }, 'brackets, quotes and backslashes inside of a text are text')
  const { body } = await service.post('/api/git/stage', { session_id: sessionId, paths: Array.from({ length: 4_000 }, () => 1) })
  t.match(body.error, /And 3990 more$/, 'a list of mistakes has an end')
})

t.test('what clients really send is taken: long texts, lists of thousands of paths, large files', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  const text = 'pasted "text" \\ {[,]} '.repeat(170_000)
  t.match(await service.post('/api/session/draft', { session_id: sessionId, text, files: [] }), { status: 200 })
  const saved = { session_id: sessionId, path: 'long.txt', content: 'é\n'.repeat(100_000) }
  t.match(await service.post('/api/file/create', saved), { status: 200, body: { size: 300_000 } })
  t.not((await service.post('/api/git/stage', { session_id: sessionId, paths: Array.from({ length: 5_000 }, (_, index) => `a/long/folder/name/that/goes/on/file-${index}.ts`) })).status, 413)
})

t.test('an import may be large: it is read beside the event loop, and stored a few rows at a time', { long: true }, async (t) => {
  const service = await start(t)
  const { send: ask } = keepAlive(t, service)
  const messages = Array.from({ length: 20_000 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index} ${'word '.repeat(60)}`, unknown: { index } }))
  const body = JSON.stringify({ title: 'Long', messages })
  t.ok(body.length > 7 * mebibyte)
  let id = ''
  const longest = await longestParsed(async () => {
    const progress = { isOver: false }
    let answered = 0
    const importing = service.post('/api/session/import', body).then(({ status, text }) => {
      progress.isOver = true
      t.equal(status, 200)
      id = /"session_id":"([^"]+)"/.exec(text)![1]!
    })
    while (!progress.isOver) if ((await ask('GET', '/api/auth/status', '', {})).status === 200) answered++
    await importing
    t.ok(answered > 20, `${answered} requests of another client were answered meanwhile`)
  })
  // The answer contains the whole conversation, and this test parses it.
  t.ok(longest > 7 * mebibyte)
  t.match((await service.get(`/api/session?session_id=${id}&msg_limit=1`)).body.session, { title: 'Long', message_count: 20_000, messages: [{ content: /^Message 19999 / }] })
})

t.test('what comes back from the reading of an import is small, whatever was sent', { long: true }, async (t) => {
  const keys = '"k1":1,'.repeat(50_000) + '"k2":{"a":[1]}'
  const held = `{${keys}}`
  for (const sent of [held, `{"messages":[],${keys}}`, `[${held}]`, `{"messages":${held}}`, `{"messages":[],"title":[${held}],"pinned":${held},"tool_calls":${held}}`, `{"messages":[],"context_messages":[${held}],"model":null}`]) {
    const { body } = readImport({ bytes: Buffer.from(sent), nowS: 1 })
    t.ok(JSON.stringify(body).length < 200, sent.slice(0, 40))
  }
})

t.test('an import that is none', async (t) => {
  const service = await start(t)
  const bring = (body: unknown) => service.post('/api/session/import', body)
  const large = ' '.repeat(100_000)
  for (const pad of ['', large]) {
    t.match(await bring(`{"messages":1}${pad}`), { status: 400, body: { error: 'Invalid messages: must be array' } })
    t.match(await bring(`${pad}`), { status: 400, body: { error: 'Missing required field(s): messages' } })
    t.match(await bring(`[1]${pad}`), { status: 400, body: { error: 'The body must be object' } })
    t.match(await bring(`{"messages":[null]}${pad}`), { status: 400, body: { error: 'messages[0] must be an object' } })
    t.match(await bring(`{"messages":[],"tool_calls":{}}${pad}`), { status: 400, body: { error: 'Invalid tool_calls: must be array' } })
    t.match(await bring(`{"messages":[]${pad}`), { status: 400, body: { error: 'The request body is not valid JSON' } })
    t.match(await bring(`{"messages":[],"__proto__":{"pinned":true},"title":null}${pad}`), { status: 200, body: { session: { pinned: false, title: 'Imported session' } } })
    t.match(await bring(`{"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":${JSON.stringify(`{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`)}}}]}]}${pad}`), { status: 200 }, 'arguments that are nested without end')
  }
  t.match(await bring(`{"messages":[{"role":"user","content":"${'x'.repeat(13_000_000)}"}]}`), { status: 413, body: { error: 'messages[0] is too large' } })
})

t.test('a body that is refused is read away, and the connection goes on', async (t) => {
  const open = await start(t)
  const gated = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const body = Buffer.alloc(21 * mebibyte, 'x')
  const cases: Array<[TestService, string, string, number, Record<string, string>]> = [
    [open, 'POST', '/api/session/rename', 413, json],
    [open, 'POST', '/api/session/import', 413, json],
    [open, 'POST', '/login', 413, { 'content-type': 'application/x-www-form-urlencoded' }],
    [open, 'POST', '/api/session/rename', 415, { 'content-type': 'text/plain' }],
    [open, 'POST', '/api/session/rename', 415, { 'content-type': 'application/octet-stream' }],
    [open, 'POST', '/api/nothing', 404, {}],
    [open, 'GET', '/api/auth/status', 200, json],
    [open, 'DELETE', '/api/session/rename', 413, json],
    [open, 'POST', '/api/session/rename', 403, { ...json, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    [open, 'OPTIONS', '/api/session/rename', 204, json],
    [open, 'POST', '/api/upload', 413, { 'content-type': 'multipart/form-data; boundary=b' }],
    [gated, 'POST', '/api/session/rename', 401, json],
    [gated, 'POST', '/api/upload', 401, { 'content-type': 'multipart/form-data; boundary=b' }],
    [gated, 'POST', '/api/auth/login', 413, json]
  ]
  for (const [service, method, path, status, headers] of cases) {
    const { send, sockets } = keepAlive(t, service)
    t.equal((await send(method, path, body, headers)).status, status, `${method} ${path}`)
    t.equal((await send('GET', '/health', '', {})).status, 200)
    t.equal((await send('POST', '/api/auth/login', '{"password":"correct horse"}')).status, 200)
    t.equal(sockets.size, 1, `${method} ${path} ${status}: one connection`)
  }
})

t.test('a body that came compressed is refused: nobody knows what it becomes', async (t) => {
  const service = await start(t)
  const { send, sockets } = keepAlive(t, service)
  const id = await service.newSession()
  const title = JSON.stringify({ session_id: id, title: 'Small' })
  t.equal((await send('POST', '/api/session/rename', title, { ...json, 'content-encoding': 'identity' })).status, 200)
  for (const body of [gzipSync(title), gzipSync(Buffer.alloc(200 * mebibyte, ' ')), 'not gzip at all']) {
    t.match(await send('POST', '/api/session/rename', body, { ...json, 'content-encoding': 'gzip' }), { status: 415, body: { error: 'Send the body as it is, without Content-Encoding' } })
  }
  t.equal((await send('GET', '/health', '', {})).status, 200)
  t.equal(sockets.size, 1)
})

t.test('what is refused before it is a request has the standard body as well', async (t) => {
  const { url } = await start(t)
  const raw = async (text: string) => await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => { answer += chunk }).on('close', () => resolve(answer))
    socket.write(text)
  })
  const length = (value: string) => `POST /api/session/rename HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${value}\r\n\r\n{}`
  const cases: Array<[string, number]> = [
    [length('abc'), 400], [length('-5'), 400], [length('1e3'), 400], [length('5\r\nContent-Length: 6'), 400],
    ['GARBAGE\r\n\r\n', 400],
    [`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n', 400],
    [`GET /share/${'a'.repeat(101)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, 414]
  ]
  for (const [text, status] of cases) {
    const answer = await raw(text)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), JSON.stringify(text.slice(0, 120)))
    t.match(answer, /\r\ncontent-type: application\/json/i)
    t.match(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))), { error: String })
    t.same(Object.keys(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as object), ['error'])
  }
})

t.test('an Expect header that nobody understands keeps nobody from an answer', async (t) => {
  const { send } = keepAlive(t, await start(t))
  for (const expected of ['200-ok', '?', '100-continue']) t.match(await send('GET', '/health', '', { expect: expected }), { status: 200, body: { status: 'ok' } }, expected)
})

t.test('queries and forms of thousands of parts are refused or ignored, not stumbled over', { long: true }, async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  t.match(await service.get(`/api/session?session_id=${id}&${'a&'.repeat(7_000)}`), { status: 200 })
  t.match(await service.get(`/api/session?${'session_id=x&'.repeat(1_000)}`), { status: 400, body: { error: String } })
  const fields = Array.from({ length: 20_000 }, (_, index) => `--b\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\nx\r\n`).join('')
  const { send, sockets } = keepAlive(t, service)
  t.match(await send('POST', '/api/upload', `${fields}--b--\r\n`, { 'content-type': 'multipart/form-data; boundary=b' }), { status: 400, body: { error: /too many fields/ } })
  const headers = Array.from({ length: 20_000 }, (_, index) => `X-${index}: y\r\n`).join('')
  t.match(await send('POST', '/api/upload', `--b\r\n${headers}Content-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n`, { 'content-type': 'multipart/form-data; boundary=b' }), { status: 400, body: { error: String } })
  t.equal((await send('GET', '/health', '', {})).status, 200)
  t.equal(sockets.size, 1)
})

t.test('half a character is refused in names and settings, and mended where a text would be lost', async (t) => {
  const service = await startChat(t)
  const half = '\ud83d'
  const id = await service.newSession()
  const { project } = (await service.post('/api/projects/create', { name: 'Work' })).body
  const refused: Array<[path: string, body: Record<string, unknown>, field: string]> = [
    ['/api/session/new', { model: half }, 'model'],
    ['/api/session/update', { session_id: id, workspace: `/tmp/${half}` }, 'workspace'],
    ['/api/projects/create', { name: half }, 'name'],
    ['/api/projects/rename', { project_id: project.project_id, name: half }, 'name'],
    ['/api/settings', { [`unknown${half}`]: 1 }, 'unknown\ufffd'],
    ['/api/settings', { anything: [{ deep: [half] }] }, 'anything[0].deep[0]'],
    ['/api/workspaces/reorder', { paths: ['/tmp', half] }, 'paths[1]'],
    ['/api/session/pin', { session_id: half, pinned: true }, 'session_id']
  ]
  for (const [path, body, field] of refused) {
    t.match(await service.post(path, body), { status: 400, body: { error: `${field} is not well-formed text: it contains half a character` } }, path)
  }
  t.match(await service.post('/api/projects/create', { name: 'Both halves \ud83d\ude00' }), { status: 200, body: { project: { name: 'Both halves 😀' } } })

  t.match((await service.post('/api/session/rename', { session_id: id, title: `My ${half}` })).body.session, { title: 'My \ufffd' })
  t.match((await service.post('/api/session/draft', { session_id: id, text: `a${half}b` })).body.draft, { text: 'a\ufffdb' })
  t.match((await service.get(`/api/session/draft?session_id=${id}`)).body.draft, { text: 'a\ufffdb' })
  const model = service.model([{ text: `so\ud800 ${half}` }])
  const { frames } = await service.turn(id, `Hello ${half}`, model)
  t.equal(JSON.stringify(frames).includes('\\ud8'), false, 'no frame has one')
  t.same((await service.session(id)).messages.map(({ content }: { content: string }) => content), ['Hello \ufffd', 'so\ufffd \ufffd'])
  t.match(said(service.requests(model)[0], 'user').at(-1), /Hello \ufffd/)

  const imported = (await service.post('/api/session/import', { title: `T${half}`, messages: [{ role: 'user', content: `c${half}`, [`k${half}`]: 1 }] })).body
  t.match(imported.session, { title: 'T\ufffd' })
  t.equal((await service.session(imported.session.session_id)).messages[0].content, 'c\ufffd')
})

t.test('halves of characters are found and mended wherever they stand', (t) => {
  const halves = fc.string({ unit: anyCharacter, maxLength: 4 }).chain((text) => fc.constantFrom(text, `${text}\ud800`, `\udfff${text}`))
  fc.assert(fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), fc.array(halves, { maxLength: 3 }), (value, texts) => {
    const sent = { value, texts }
    const whole = wholeCharacters(sent)
    const isWhole = !mayHoldHalves(JSON.stringify(sent)) || halfCharacterAt(sent) === null
    return halfCharacterAt(whole) === null && (whole === sent) === isWhole && Buffer.from(JSON.stringify(whole)).toString() === jsonText(sent)
  }))
})
