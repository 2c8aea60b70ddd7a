import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import t from '#test'
import { archiveStem, namesToTry, numbered, safeName, withSuffix } from '../../../services/workspace/place/names.js'
import { sniffedType } from '../../../services/workspace/files/sniffing.js'
import { anyCharacter } from '../../support/any-character.js'
import { type Answer, start, type TestService } from '../../support/app.js'
import { boundary, formBytes, formType, type Part, sendForm } from '../../support/forms.js'
import { tries } from '../../support/tries.js'

const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' }, opens: ['/dev/shm'] })
const id = await service.newSession()
const attachments = join(service.folder, 'home', 'webui', 'attachments')
const incoming = join(attachments, '.incoming')
const session = (value = id): Part => ({ name: 'session_id', content: value })
const file = (filename: string, content: string | Uint8Array = 'content'): Part => ({ name: 'file', filename, content })
const attach = (...parts: Part[]): Promise<Answer> => sendForm(`${service.url}/api/upload`, parts)
const place = (...parts: Part[]): Promise<Answer> => sendForm(`${service.url}/api/workspace/upload`, parts)
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

/** Checks that no partial upload remains. */
async function nothingWaits (t: { same (one: unknown, other: unknown): unknown }): Promise<void> {
  for (let n = 0; n < 500 && readdirSync(incoming).length > 0; n++) await delay(10)
  t.same(readdirSync(incoming), [])
}

t.test('a file is attached to a conversation', async (t) => {
  const answer = await attach(session(), file('Übersicht.png', png))
  t.match(answer, { status: 200, body: { filename: 'Übersicht.png', path: join(attachments, id, 'Übersicht.png'), size: png.length, mime: 'image/png', is_image: true } })
  t.same(readFileSync(answer.body.path), png)
  t.match(await attach(file('late.txt', 'the session comes after it'), session()), { status: 200, body: { filename: 'late.txt', mime: 'text/plain', is_image: false } })
  t.match(await attach(session(), { name: 'note', content: 'whatever' }, file('with more.txt')), { status: 200 }, 'fields that nobody knows are no harm')
  t.match(await attach(session(), file('empty.bin', '')), { status: 200, body: { size: 0 } })
  t.same(readdirSync(join(service.workspace)), [], 'the workspace stays as it is')
  await nothingWaits(t)
})

t.test('of the same name there may be many', async (t) => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => attach(session(), file('same.tar.gz', `content ${n}`))))
  t.same([...new Set(answers.map(({ body }) => body.filename))].sort(), ['same.tar.gz', ...Array.from({ length: 19 }, (_, n) => `same-${n + 2}.tar.gz`)].sort())
  for (const [n, { body }] of answers.entries()) t.equal(readFileSync(body.path, 'utf8'), `content ${n}`)
  await nothingWaits(t)
})

t.test('however many there are of a name, the next one finds a place', async (t) => {
  const folder = join(attachments, id)
  mkdirSync(folder, { recursive: true })
  const numbers = [...namesToTry('often.png')].slice(0, 200)
  t.same([numbers[0], numbers[199]], ['often.png', 'often-200.png'])
  for (const name of numbers) writeFileSync(join(folder, name), name)
  const answers = await Promise.all([1, 2, 3].map((n) => attach(session(), file('often.png', `${n}`))))
  for (const { status, body } of answers) {
    t.equal(status, 200)
    t.match(body.filename, /^often-[0-9a-f]{10}\.png$/)
  }
  t.equal(new Set(answers.map(({ body }) => body.filename)).size, 3)
})

t.test('forms that are none', async (t) => {
  const many = Array.from({ length: 40 }, (_, n): Part => ({ name: `f${n}`, content: 'x' }))
  const wrong: Array<[what: string, parts: Part[], error: RegExp]> = [
    ['no file', [session()], /file/], ['no session', [file('a')], /session_id/], ['neither', [{ name: 'x', content: 'x' }], /session_id, file/], ['an empty session', [session(''), file('a')], /session_id/],
    ['two files', [session(), file('a'), file('b')], /one file/], ['three files', [session(), file('a'), file('b'), file('c')], /one file/], ['another field', [session(), { name: 'image', filename: 'a', content: 'x' }], /file/],
    ['a text instead of a file', [session(), { name: 'file', content: 'x' }], /file/], ['too many fields', [session(), ...many, file('a')], /too many|malformed/],
    ['a session twice', [session(), session(), file('a')], /twice/], ['a long field', [{ name: 'session_id', content: 'x'.repeat(100_000) }, file('a')], /short text/],
    ['a session of JSON', [{ name: 'session_id', content: '{"a":1}', type: 'application/json' }, file('a')], /short text/],
    ['a field of the language', [{ name: '__proto__', content: 'x' }, session(), file('a')], /malformed/]
  ]
  for (const [what, parts, error] of wrong) {
    for (const send of [attach, place]) t.match(await send(...parts), { status: 400, body: { error } }, what)
  }
  t.match(await attach(session(), { ...file('a'), name: 'n'.repeat(200_000) }), { status: 400 }, 'a huge name of a field')
  const long = await attach(session(), file('n'.repeat(200_000)))
  t.ok(long.status === 400 || long.body.filename.length <= 200, 'a huge name of a file')
  for (const [type, body] of [['application/json', '{"session_id":"x"}'], ['text/plain', 'x'], ['multipart/form-data', 'x'], ['multipart/form-data; boundary=', 'x'], ['image/png', 'x'], ['application/json', '{'], ['multipart/mixed; boundary=x', '--x--']] as const) {
    const answer = await service.post('/api/upload', body, { 'content-type': type })
    t.match(answer, { status: 400, body: { error: String } }, type)
  }
  for (const body of ['', 'no boundary at all', `--${boundary}`, `--${boundary}\r\n\r\n`, formBytes([session(), file('cut.txt')], { end: false }).toString(), formBytes([session(), file('cut.txt')]).subarray(0, -60).toString()]) {
    t.match(await service.post('/api/upload', body, { 'content-type': formType }), { status: 400, body: { error: String } }, JSON.stringify(body.slice(-40)))
  }
  t.match(await attach(session('nobody'), file('a')), { status: 404, body: { error: 'Session not found' } })
  t.match(await attach(file('a'), session('../..')), { status: 404 })
  const shown = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(shown)
  for (const send of [attach, place]) {
    t.match(await send(session(shown), file('a')), { status: 403 })
    t.match(await send(file('a'), session(shown)), { status: 403 })
  }
  await nothingWaits(t)
  t.notOk(existsSync(join(attachments, shown)))
})

t.test('too large', async (t) => {
  const most = 1024 * 1024
  t.match(await attach(session(), file('fits', Buffer.alloc(most))), { status: 200, body: { size: most } })
  for (const size of [most + 1, most + 100_000, 3 * most]) {
    t.match(await attach(session(), file('large', Buffer.alloc(size))), { status: 413, body: { error: 'File too large (max 1MB)' } }, `${size}`)
  }
  // Without a reliable length: chunked, one after the other on the same connection.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (const [size, status] of [[2 * most, 413], [10, 200], [3 * most, 413], [10, 200]] as const) {
    const bytes = formBytes([session(), file('chunked', Buffer.alloc(size))])
    const got = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(`${service.url}/api/upload`, { method: 'POST', agent, headers: { 'content-type': formType } }, (response) => {
        ports.add(response.socket.localPort)
        response.resume().on('end', () => resolve(response.statusCode))
      }).on('error', reject)
      for (let from = 0; from < bytes.length; from += 50_000) sending.write(bytes.subarray(from, from + 50_000))
      sending.end()
    })
    t.equal(got, status, `${size} in chunks`)
  }
  t.equal(ports.size, 1, 'the connection stays usable')
  agent.destroy()
  await nothingWaits(t)
})

/** Sends bytes and reads until the connection ends or an answer arrives. */
async function raw (service: TestService, head: string, body: Buffer, { end = false }: { end?: boolean } = {}): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  const said: Buffer[] = []
  socket.on('data', (chunk: Buffer) => said.push(chunk)).on('error', () => {})
  socket.write(`POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${formType}\r\n${head}\r\n\r\n`)
  socket.write(body)
  if (end) socket.end()
  for (let n = 0; n < 300 && !Buffer.concat(said).includes('\r\n\r\n') && !socket.closed; n++) await delay(10)
  socket.destroy()
  return Buffer.concat(said).toString()
}

t.test('lengths that are not true, and senders who go away', async (t) => {
  const bytes = formBytes([session(), file('lie.txt', 'x'.repeat(5_000))])
  t.match(await raw(service, `Content-Length: ${5 * 1024 * 1024}`, bytes.subarray(0, 1_000)), /^HTTP\/1\.1 413 /, 'too large is refused before it comes')
  t.match(await raw(service, 'Content-Length: 1000', bytes), /^HTTP\/1\.1 400 /, 'shorter than what is sent')
  t.notMatch(await raw(service, `Content-Length: ${bytes.length + 5_000}`, bytes.subarray(0, 3_000), { end: true }), / 200 /, 'longer than what is sent')
  t.notMatch(await raw(service, 'Transfer-Encoding: chunked', Buffer.concat([Buffer.from('bb8\r\n'), bytes.subarray(0, 3_000), Buffer.from('\r\n')]), { end: true }), / 200 /, 'cut off')
  for (let n = 0; n < 10; n++) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
    socket.write(`POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${formType}\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    socket.write(bytes.subarray(0, 500 * n))
    await delay(5)
    socket.resetAndDestroy()
  }
  await nothingWaits(t)
  t.notOk(readdirSync(join(attachments, id)).some((name) => name.startsWith('lie')))
})

t.test('without signing in', async (t) => {
  const closed = await start(t, { env: { SVC_WEBUI_PASSWORD: 'a long password' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (let n = 0; n < 3; n++) {
    const status = await new Promise((resolve, reject) => {
      const sending = request(`${closed.url}/api/upload`, { method: 'POST', agent, headers: { 'content-type': formType } }, (response) => {
        ports.add(response.socket.localPort)
        response.resume().on('end', () => resolve(response.statusCode))
      }).on('error', reject)
      sending.end(formBytes([session(), file('a', Buffer.alloc(800_000))]))
    })
    t.equal(status, 401)
  }
  t.equal(ports.size, 1, 'on one connection')
  agent.destroy()
})

t.test('an upload beside the delete of its conversation leaves nothing', async (t) => {
  for (let n = 0; n < 15; n++) {
    const gone = await service.newSession()
    const sends = Array.from({ length: 4 }, (_, k) => attach(session(gone), file(`${k}.txt`)))
    const [deleted, ...answers] = await Promise.all([delay(n % 5).then(() => service.post('/api/session/delete', { session_id: gone })), ...sends])
    t.equal(deleted.status, 200)
    t.ok(answers.every(({ status }) => status === 200 || status === 404), answers.map(({ status }) => status).join(' '))
    t.notOk(existsSync(join(attachments, gone)))
  }
  await nothingWaits(t)
})

t.test('what an interrupted service has left goes when it starts', async (t) => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'home', 'webui', 'attachments', '.incoming'), { recursive: true })
  mkdirSync(join(folder, 'home', 'webui', 'attachments', 'abc'))
  writeFileSync(join(folder, 'home', 'webui', 'attachments', '.incoming', 'half'), 'half')
  writeFileSync(join(folder, 'home', 'webui', 'attachments', 'abc', 'whole'), 'whole')
  await start(t, { folder })
  t.same(readdirSync(join(folder, 'home', 'webui', 'attachments', '.incoming')), [])
  t.ok(existsSync(join(folder, 'home', 'webui', 'attachments', 'abc', 'whole')))
})

t.test('into a folder of the workspace', async (t) => {
  const at = (...parts: string[]): string => join(service.workspace, ...parts)
  mkdirSync(at('docs'))
  t.match(await place(session(), file('.env', 'A=1')), { status: 200, body: { ok: true, filename: '.env', path: '.env', size: 3, mime: 'text/plain', is_image: false } })
  t.match(await place(file('a.png', png), { name: 'path', content: 'docs' }, session()), { status: 200, body: { path: 'docs/a.png', is_image: true } })
  t.match(await place(session(), { name: 'path', content: 'docs' }, file('a.png', 'other')), { status: 200, body: { filename: 'a-2.png', path: 'docs/a-2.png', mime: 'text/plain', is_image: false } })
  t.same(readFileSync(at('docs', 'a.png')), png, 'nothing is replaced')
  t.equal(statSync(at('docs', 'a.png')).mode & 0o777, 0o666 & ~process.umask(), 'it is a file like any other')
  t.equal(statSync(at('docs', 'a.png')).nlink, 1)
  t.match(await place(session(), file('.git', 'gitdir: elsewhere')), { status: 200, body: { filename: 'git' } }, 'no repository comes in this way')
  const same = await Promise.all(Array.from({ length: 20 }, (_, n) => place(session(), { name: 'path', content: 'docs' }, file('many', `${n}`))))
  t.equal(new Set(same.map(({ body }) => body.path)).size, 20)
  for (const [n, { body }] of same.entries()) t.equal(readFileSync(at(body.path), 'utf8'), `${n}`)

  symlinkSync(service.folder, at('leak'))
  for (const path of ['nowhere', '..', 'docs/a.png', 'leak', 'leak/home', service.folder, '/etc', '../outside', 'docs/../..']) {
    t.match(await place(session(), { name: 'path', content: path }, file('x.txt')), { status: 404 }, path)
  }
  t.match(await place(session(), { name: 'path', content: 'zero\0' }, file('x.txt')), { status: 400 })
  mkdirSync(at('.agent-trash'), { recursive: true })
  t.match(await place(session(), { name: 'path', content: '.agent-trash' }, file('x.txt')), { status: 403 })
  await nothingWaits(t)
})

t.test('nothing comes in where the service keeps its own', async (t) => {
  const own = await start(t)
  const inHome = await own.newSession()
  const home = join(own.folder, 'home')
  own.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(home, inHome)
  const send = (filename: string, path = '.') => sendForm(`${own.url}/api/workspace/upload`, [session(inHome), { name: 'path', content: path }, file(filename)])
  t.match(await send('.env'), { status: 403, body: { error: /the service/ } })
  t.notOk(existsSync(join(home, '.env')))
  t.match(await send('webui'), { status: 403 })
  t.match(await send('.environment'), { status: 200, body: { filename: '.environment' } })
  mkdirSync(join(home, 'sub'))
  for (const [filename, path] of [['.agent-trash', '.'], ['.AGENT-Trash', 'sub']] as const) t.match(await send(filename, path), { status: 200, body: { filename: filename.slice(1) } })
  t.match(await own.post('/api/file/delete', { session_id: inHome, path: 'agent-trash' }), { status: 200 }, 'and things can be deleted')
})

const shared = '/dev/shm'
const disks = existsSync(shared) && statSync(shared).dev !== statSync(service.folder).dev ? {} : { skip: 'there is only one disk here' }

t.test('from one disk to another', disks, async (t) => {
  const far = mkdtempSync(join(shared, 'workspace-'))
  t.teardown(() => rmSync(far, { recursive: true }))
  const there = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(far, there)
  const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => place(session(there), file('far.txt', `${n}`))))
  t.same(answers.map(({ status }) => status), [200, 200, 200, 200, 200])
  for (const [n, { body }] of answers.entries()) t.equal(readFileSync(join(far, body.path), 'utf8'), `${n}`)
  t.same(readdirSync(far).sort(), ['far-2.txt', 'far-3.txt', 'far-4.txt', 'far-5.txt', 'far.txt'])
  await nothingWaits(t)
})

t.test('names', async (t) => {
  const wanted: Array<[from: string, to: string, kept?: string]> = [
    ['a.txt', 'a.txt'], ['../../etc/passwd', 'passwd'], ['C:\\Users\\me\\photo.jpg', 'photo.jpg'], ['..', 'upload'], ['.', 'upload'], ['', 'upload'], ['   ', 'upload'], ['/', 'upload'],
    ['.bashrc', 'bashrc', '.bashrc'], ['...x', 'x', '.x'], ['.git', 'git', 'git'], ['.GIT', 'GIT', 'GIT'], ['.gitignore', 'gitignore', '.gitignore'], ['a\r\nSet-Cookie: x', 'aSet-Cookie x'],
    ['in\u202egnp.exe', 'ingnp.exe'], ['zero\0byte', 'zerobyte'], ['a"b<c>d|e?f*g:h', 'abcdefgh'], ['con', 'upload'], ['e\u0301.txt', 'é.txt'], ['👩‍🚀.png', '👩‍🚀.png'], ['\ud800x', 'x'],
    ['dots...', 'dots'], ['space ', 'space'], ['\ufeffbom.txt', 'bom.txt'], ['.agent-trash', 'agent-trash', 'agent-trash'], ['.Agent-Trash', 'Agent-Trash', 'Agent-Trash'], ['.agent-0123456789abcdef.tmp', 'agent-0123456789abcdef.tmp', 'agent-0123456789abcdef.tmp']
  ]
  for (const [from, to, kept = to] of wanted) {
    t.equal(safeName(from), to, JSON.stringify(from))
    t.equal(safeName(from, { keepDots: true }), kept, `${JSON.stringify(from)} in a workspace`)
  }
  t.equal(safeName(`${'ö'.repeat(300)}.tar.gz`), `${'ö'.repeat(96)}.tar.gz`)
  t.equal(archiveStem('project.tar.gz'), 'project')
  t.equal(archiveStem('.zip'), 'upload')
  t.same([1, 2, 3].map((n) => numbered('a.b.c', n)), ['a.b.c', 'a.b-2.c', 'a.b-3.c'])
  t.equal(withSuffix('.env', ' (restored)'), '.env (restored)')
  t.equal(Buffer.byteLength(withSuffix('x'.repeat(255), ' (restored)')), 255)
  const answer = await attach(session(), file('in\u202egnp.exe'))
  t.equal(basename(answer.body.path), 'ingnp.exe')

  const anything = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.array(fc.constantFrom('.', '..', '/', '\\', 'a', 'ö', '.git', ' ', '\0', '\u202e', '.tar.gz', '~', 'con'), { maxLength: 12 }).map((parts) => parts.join('')))
  fc.assert(fc.property(anything, fc.boolean(), fc.integer({ min: 1, max: 10_000 }), (from, keepDots, n) => {
    const name = safeName(from, { keepDots })
    const next = numbered(name, n)
    return name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 200 && Buffer.byteLength(next) <= 255 && !/[/\\\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(name) &&
      name.toLowerCase() !== '.git' && (keepDots || !name.startsWith('.')) && safeName(name, { keepDots }) === name && (n === 1) === (next === name)
  }), { numRuns: tries(2_000) })
})

t.test('types come from the content', async (t) => {
  const zip = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'), Buffer.alloc(16), Buffer.from([1, 0, 0, 0]), Buffer.from('a')])
  const kinds: Array<[name: string, head: Buffer, type: string]> = [
    ['a.png', png, 'image/png'], ['a.txt', png, 'image/png'], ['a.png', Buffer.from('text'), 'text/plain'], ['a.png', Buffer.from([1, 2, 0, 3]), 'application/octet-stream'],
    ['a.json', Buffer.from('{}'), 'application/json'], ['a.md', Buffer.from('# x'), 'text/markdown'], ['a.ts', Buffer.from('let x'), 'text/plain'], ['a.rs', Buffer.from('fn main'), 'text/plain'],
    ['a.svg', Buffer.from('<svg xmlns="x"/>'), 'image/svg+xml'], ['a.svg', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/svg+xml'], ['a.svg', Buffer.from('hello'), 'text/plain'],
    ['a.html', Buffer.from('<p>'), 'text/html'], ['Makefile', Buffer.from('all:'), 'text/plain'], ['a.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.png', zip, 'application/zip'], ['a', Buffer.from('%PDF-1.7\n'), 'application/pdf'], ['cut.txt', Buffer.from('é').subarray(0, 1), 'text/plain'], ['a.txt', Buffer.alloc(0), 'text/plain'], ['a', Buffer.alloc(0), 'application/octet-stream']
  ]
  for (const [name, head, type] of kinds) t.equal(await sniffedType(head, name), type, `${name} ${head.toString('latin1').slice(0, 12)}`)
  t.match(await attach(session(), { ...file('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'), type: 'image/png' }), { body: { mime: 'image/svg+xml', is_image: false } }, 'a drawing can hold scripts')
})
