import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from '#test'
import { decode, encode, type RelayReply } from '../../services/areas/relay/index.js'
import { start, type TestService } from '../support/app.js'
import { needs } from '../support/programs.js'
import { ask, closedBelow } from '../support/workspace.js'

async function onMachine (t: Test) {
  const service = await start(t, { machine: 'box' })
  const id = await service.newSession()
  const query = (more: Record<string, string>): string => new URLSearchParams({ session_id: id, ...more }).toString()
  return { service, machine: service.machine!, id, query, at: (...parts: string[]) => join(service.workspace, ...parts) }
}

const nothingUnderWay = async ({ machine }: TestService): Promise<void> => { while (machine!.size() > 0) await delay(10) }

t.test('files of a workspace on another machine are read, changed and deleted there', needs('nats-server'), async (t) => {
  const { service, id, query, at } = await onMachine(t)
  t.equal((await service.session(id)).workspace, `box:${service.workspace}`)
  t.match(await service.post('/api/file/create', { session_id: id, path: 'a+b.txt', content: 'héllo' }), { status: 200, body: { path: 'a+b.txt' } })
  t.equal(readFileSync(at('a+b.txt'), 'utf8'), 'héllo')
  const list = await service.get(`/api/list?${query({})}`)
  t.same(list.body.entries.map(({ name }: { name: string }) => name), ['a+b.txt'])
  t.equal((await service.get(`/api/list?${query({})}`, { 'if-none-match': list.headers.get('etag')! })).status, 304)
  const raw = `/api/file/raw?${query({ path: 'a+b.txt' })}`
  const part = await service.get(raw, { range: 'bytes=1-2' })
  t.match(part, { status: 206, text: 'é' })
  t.equal(part.headers.get('content-range'), 'bytes 1-2/6')
  t.equal((await service.get(raw, { 'if-none-match': part.headers.get('etag')! })).status, 304)
  t.match(await service.get(raw, { range: 'bytes=9-' }), { status: 416, body: { error: /no such bytes/ } })
  const head = await fetch(service.url + raw, { method: 'HEAD' })
  t.same([head.status, head.headers.get('content-length')], [200, '6'])
  t.equal((await service.get(`/api/file?session_id=${id}&path=a+b.txt`)).body.content, 'héllo', 'a raw plus is tried as one')
  t.match(await service.get(`/api/file?${query({})}`), { status: 400, body: { error: 'Missing required field(s): path' } })
  const { body: { trash_id: trashed } } = await service.post('/api/file/delete', { session_id: id, path: 'a+b.txt' })
  t.match(await service.post('/api/trash/restore', { session_id: id, id: trashed }), { status: 200, body: { path: 'a+b.txt' } })
  await nothingUnderWay(service)
})

t.test('what a person has attached is shown, although it lies with the service', needs('nats-server'), async (t) => {
  const { service, id, query } = await onMachine(t)
  const form = new FormData()
  form.set('session_id', id)
  form.set('file', new File(['attached'], 'note.txt'))
  const { path } = await (await fetch(`${service.url}/api/upload`, { method: 'POST', body: form })).json() as { path: string }
  for (const name of [path, 'note.txt']) t.match(await service.get(`/api/file/raw?${query({ path: name })}`), { status: 200, text: 'attached' }, name)
})

t.test('nothing leads out of the workspace, and no workspace out of what its machine has opened', needs('nats-server'), async (t) => {
  const { service, id, query, at } = await onMachine(t)
  const outside = mkdtempSync(join(tmpdir(), 'outside-'))
  t.teardown(() => rmSync(outside, { recursive: true }))
  writeFileSync(join(outside, 'secret.txt'), 'SECRET')
  symlinkSync(outside, at('link'))
  for (const path of ['link/secret.txt', '../outside', join(outside, 'secret.txt'), '/etc/passwd']) {
    const answer = await service.get(`/api/file?${query({ path })}`)
    t.ok([403, 404].includes(answer.status) && !answer.text.includes('SECRET'), `${path} ${answer.text}`)
  }
  const set = service.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?')
  for (const workspace of [outside, '/', '/etc', service.folder + '/home/webui']) {
    set.run(`box:${workspace}`, id)
    t.match(await service.get(`/api/list?${query({})}`), { status: 403, body: { error: /not among those/ } }, workspace)
  }
  set.run(`box:${at('link')}`, id)
  t.match(await service.get(`/api/list?${query({})}`), { status: 404, body: { code: 'workspace_missing' } }, 'a folder that has become a link')
  set.run(`box:${at('gone')}`, id)
  t.match(await service.get(`/api/list?${query({})}`), { status: 404, body: { error: 'Folder not found' } }, 'as on this machine')
  for (const workspace of ['/etc', at('nothing'), at('link'), outside]) t.match(await service.get(`/api/rollback/list?workspace=box:${workspace}`), { status: 404, body: { error: 'Workspace not found' } }, 'which folders there are is not to be found out')
  set.run('other:/nowhere', id)
  t.match(await service.get(`/api/list?${query({})}`), { status: 503, body: { error: 'The machine other cannot be reached right now', code: 'host_unreachable' } })
})

t.test('a folder that is named in the place of a session opens nothing but what was kept of it', needs('nats-server'), async (t) => {
  const { service, id, at } = await onMachine(t)
  const { workspace } = await service.session(id)
  writeFileSync(at('a.txt'), 'A')
  for (const path of ['list?', 'file?path=a.txt&', 'file/raw?path=a.txt&', 'git/status?', 'folder/download?', 'trash?']) {
    for (const sessionId of ['', 'session_id=&']) t.ok([400, 404].includes((await service.get(`/api/${path}${sessionId}workspace=${encodeURIComponent(workspace)}`)).status), path)
  }
  for (const [route, more] of [['file/save', { path: 'a.txt', content: 'B', force: true }], ['file/delete', { path: 'a.txt' }], ['git/stage', { paths: ['a.txt'] }]] as const) {
    t.ok([400, 404].includes((await service.post(`/api/${route}`, { session_id: '', workspace, ...more })).status), route)
  }
  t.equal(readFileSync(at('a.txt'), 'utf8'), 'A')
  t.match(await service.get(`/api/rollback/list?workspace=${encodeURIComponent(workspace)}`), { status: 200, body: { workspace, checkpoints: [] } })
  // The router also starts a query at this character, although clients do not normally send it.
  const asked = request(service.url, { path: `/api/rollback/list#workspace=${encodeURIComponent(workspace)}` }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  t.equal(answer.statusCode, 200)
})

t.test('a machine that says something else than an answer gets none of it to a client', needs('nats-server'), async (t) => {
  const { service, machine, query, id } = await onMachine(t)
  machine.stop()
  let said: RelayReply = { state: 'lost' }
  let body: Buffer = Buffer.alloc(0)
  machine.link.nc.subscribe(machine.link.subjects.ask('box', 'http'), { callback: (_error, message) => { if (decode(message.data).head.kind !== 'stop') message.respond(body.equals(Buffer.from('garbage')) ? body : encode(said, body)) } })
  const json = { 'content-type': 'application/json' }
  const list = `/api/list?${query({})}`
  const answers: Array<[status: number, headers: Record<string, string>, body: string]> = [[999, json, '{}'], [101, json, '{}'], [302, { location: 'https://example.org' }, ''], [200, { 'content-type': 'text/html' }, '<script>'], [404, json, 'x'], [404, json, '{"error":5}'], [500, json, '{"error":"/secret/path"}']]
  for (const [status, headers, text] of answers) {
    said = { state: 'answer', status, headers, last: true }
    body = Buffer.from(text)
    const answer = await service.get(list)
    t.match(answer, { status: 502, body: { error: /^(?:box|Something went wrong on the machine box)/ } }, `${status} ${text}`)
    t.notOk(answer.text.includes('secret'))
  }
  body = Buffer.from('garbage')
  t.equal((await service.get(list)).status, 502)
  said = { state: 'lost' }
  body = Buffer.alloc(0)
  t.equal((await service.get(list)).status, 502)
  said = { state: 'answer', status: 200, last: true, headers: { 'content-type': 'text/html', 'set-cookie': 'svc_session=x', 'x-own': 'y', etag: '"a"\r\nset-cookie: b=c', 'content-security-policy': "script-src 'self'", 'access-control-allow-origin': '*', location: '/', 'clear-site-data': '*' } }
  body = Buffer.from('<script>alert(1)</script>')
  const raw = await service.get(`/api/file/raw?${query({ path: 'x' })}`)
  t.equal(raw.status, 200)
  for (const name of ['set-cookie', 'x-own', 'etag', 'access-control-allow-origin', 'location', 'clear-site-data']) t.notOk(raw.headers.has(name), name)
  t.match(raw.headers.get('content-security-policy'), /^sandbox; default-src 'none'/)
  said = { state: 'answer', status: 200, last: true, headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'; object-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'" } }
  t.match((await service.get(`/api/file/raw?${query({ path: 'x' })}`)).headers.get('content-security-policy'), /^sandbox;/, 'outside of a sandbox is what needs it')
  said = { state: 'answer', status: 404, last: true, headers: json }
  body = Buffer.from(`{"error":"not there","__proto__":{"a":1},"constructor":1,"path":"/secret","deep":${'['.repeat(90_000)}${']'.repeat(90_000)}}`)
  t.same((await service.get(list)).body, { error: 'not there' })
  said = { state: 'answer', status: 200, last: true, headers: json }
  for (const checkpoints of ['[null]', '[5]', '[{"stream_id":{}}]']) {
    body = Buffer.from(`{"checkpoints":${checkpoints},"workspace":"/","checkpoint_dir":""}`)
    t.equal((await service.get(`/api/rollback/list?${query({})}`)).status, 502, checkpoints)
  }
  said = { state: 'bytes', last: true }
  t.equal((await service.post('/api/git/stage', { session_id: id, paths: ['a'] })).status, 502)
})

t.test('more or less than a machine has announced is never taken for the next answer of the connection', needs('nats-server'), async (t) => {
  const { service, machine, query } = await onMachine(t)
  machine.stop()
  const body = 'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 6\r\n\r\n<evil>'
  let headers = {}
  let isWhole = true
  machine.link.nc.subscribe(machine.link.subjects.ask('box', 'http'), {
    callback (_error, message) {
      const { kind } = decode(message.data).head
      if (kind === 'read') message.respond(encode({ state: 'bytes', last: true }, Buffer.from(body)))
      else if (kind === 'begin') message.respond(encode({ state: 'answer', status: 200, headers, last: isWhole }, Buffer.from(isWhole ? body : 'hello')))
    }
  })
  const path = `/api/file/raw?${query({ path: 'x' })}`
  for (const length of ['5', '500']) {
    headers = { 'content-type': 'image/png', 'content-length': length }
    isWhole = true
    t.equal((await service.get(path)).status, 502)
    isWhole = false
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (bytes: Buffer) => { text += bytes.toString() })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    await once(socket, 'close')
    t.ok(text.slice(text.indexOf('\r\n\r\n') + 4).length <= Number(length), 'the connection is closed, and no more than that has come')
  }
})

t.test('a machine has a model of the service asked about changes, and about nothing else', needs('nats-server'), async (t) => {
  const { service, machine, query } = await onMachine(t)
  machine.stop()
  let begun = 0
  machine.link.nc.subscribe(machine.link.subjects.ask('box', 'http'), {
    callback (_error, message) {
      if (decode(message.data).head.kind === 'begin') begun++
      message.respond(encode({ state: 'answer', status: 200, headers: { 'content-type': 'application/json', 'x-relay-question': 'commit_message' }, last: true }, Buffer.from('{"diff":"d","files":[],"truncated":false,"entries":[],"path":""}')))
    }
  })
  await fetch(`${service.url}/api/file/raw?${query({ path: 'x' })}`)
  t.equal(begun, 1)
})

t.test('a client that goes away in the middle of a file leaves nothing open', needs('nats-server'), async (t) => {
  const { service, machine, query, at } = await onMachine(t)
  mkdirSync(at('much'))
  writeFileSync(at('much', 'big.bin'), randomBytes(24 * 1_024 * 1_024))
  for (const path of ['file/raw', 'folder/download']) {
    const answer = await ask(`${service.url}/api/${path}?${query({ path: path === 'file/raw' ? 'much/big.bin' : 'much' })}`)
    await new Promise((resolve) => answer.once('readable', resolve))
    t.equal(machine.size(), 1)
    answer.destroy()
    await nothingUnderWay(service)
  }
  t.same(await closedBelow(service.workspace), [])
})

t.test('an upload to a machine that goes away is refused, and nothing of it stays', needs('nats-server'), async (t) => {
  const { service, machine, id, at } = await onMachine(t)
  const left = (): string[] => [...readdirSync(at()), ...readdirSync(join(service.folder, 'home', 'webui', 'attachments', '.incoming'))]
  const send = () => {
    const outgoing = request(`${service.url}/api/workspace/upload`, { method: 'POST', agent: false, headers: { 'content-type': 'multipart/form-data; boundary=b' } })
    const answered = new Promise<{ status: number, text: string }>((resolve) => {
      outgoing.on('error', () => resolve({ status: 0, text: '' }))
      outgoing.on('response', (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => { text += chunk.toString() }).on('end', () => resolve({ status: answer.statusCode!, text }))
      })
    })
    outgoing.write(`--b\r\nContent-Disposition: form-data; name="session_id"\r\n\r\n${id}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="half.bin"\r\n\r\n`)
    outgoing.write(Buffer.alloc(1_000_000))
    return { outgoing, answered }
  }
  const leaving = send()
  while (left().length === 0) await delay(10)
  leaving.outgoing.destroy()
  while (left().length > 0) await delay(10)
  await nothingUnderWay(service)

  const { outgoing, answered } = send()
  while (left().length === 0) await delay(10)
  machine.stop()
  outgoing.end('\r\n--b--\r\n')
  const { status, text } = await answered
  // It is unknown whether the request was executed there, and the answer says so.
  t.ok([502, 503].includes(status), String(status))
  t.match(JSON.parse(text), { error: /machine box/ })
  while (left().length > 0) await delay(10)
})

t.test('a form is understood in any order, and too large a one is refused before it is passed on', needs('nats-server'), async (t) => {
  const service = await start(t, { machine: 'box', env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const id = await service.newSession()
  const place = async (fields: Array<[string, string | File]>) => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const answer = await fetch(`${service.url}/api/workspace/upload`, { method: 'POST', body: form })
    return { status: answer.status, body: await answer.json() as unknown }
  }
  const file = (name: string, bytes = 4): ['file', File] => ['file', new File([Buffer.alloc(bytes, 'x')], name)]
  t.match(await place([['session_id', id], file('a"ü.txt')]), { status: 200, body: { size: 4 } })
  t.match(await place([file('last.txt'), ['session_id', id], ['path', '.']]), { status: 200, body: { path: 'last.txt' } })
  t.match(await place([['session_id', id], file('full.bin', 1_048_576)]), { status: 200 })
  for (const bytes of [1_048_577, 3_000_000]) t.match(await place([['session_id', id], file('b.bin', bytes)]), { status: 413, body: { error: 'File too large (max 1MB)' } })
  t.match(await place([['session_id', id]]), { status: 400, body: { error: 'Missing required field(s): file' } })
  t.equal(readdirSync(service.workspace).length, 3)
})

t.test('git works where the repository is, and a model of the service is asked for its commit messages', needs('nats-server'), async (t) => {
  const { service, id, query, at } = await onMachine(t)
  execFileSync('git', ['init', '-q', at()])
  writeFileSync(at('new.txt'), 'new')
  t.match(await service.get(`/api/git/status?${query({})}`), { status: 200 })
  t.match(await service.post('/api/git/stage', { session_id: id, paths: ['new.txt'] }), { status: 200 })
  t.match(await service.post('/api/git/commit-message', { session_id: id }), { status: 200, body: { message: 'Add new.txt', source: 'summary' } })
  t.match(await service.post('/api/git/commit-message-selected', { session_id: id, paths: ['nowhere'] }), { status: 400 })
})

t.test('checkpoints are kept where the folder is, and say what was said in the conversation', needs('nats-server'), async (t) => {
  const { service, machine, id, query, at } = await onMachine(t)
  const stream = await service.send(id, 'change the file')
  while (service.app.chat.isLive(id)) await delay(20)
  writeFileSync(at('kept.txt'), 'before')
  const { checkpoints, workspace: { territories } } = machine.machine.app
  await checkpoints.take({ territory: territories.around(service.workspace), sessionId: id, streamId: stream })
  writeFileSync(at('kept.txt'), 'after')
  const { body: { checkpoints: [listed], workspace } } = await service.get(`/api/rollback/list?${query({})}`)
  t.match(listed, { title: 'change the file', stream_id: stream, state: 'ready' })
  t.match(await service.get(`/api/rollback/list?workspace=${encodeURIComponent(workspace)}`), { status: 200, body: { checkpoints: [{ id: listed.id }] } })
  t.match(await service.get('/api/rollback/list?workspace=box:/etc'), { status: 404 })
  t.match(await service.get(`/api/rollback/diff?${query({ checkpoint: listed.id })}`), { status: 200, body: { total_changes: 1 } })
  t.match(await service.post('/api/rollback/restore', { workspace, checkpoint: listed.id }), { status: 200, body: { files_restored: ['kept.txt'] } })
  t.equal(readFileSync(at('kept.txt'), 'utf8'), 'before')
  await service.post('/api/session/delete', { session_id: id })
  t.match(await service.get(`/api/rollback/list?workspace=${encodeURIComponent(workspace)}`), { status: 200, body: { checkpoints: [{ kind: 'restore' }, { id: listed.id }] } }, 'they outlive the conversation')
  machine.stop()
  for (const path of ['list?', `diff?checkpoint=${listed.id}&`]) t.match(await service.get(`/api/rollback/${path}workspace=${encodeURIComponent(workspace)}`), { status: 503, body: { code: 'host_unreachable' } }, path)
  t.match(await service.post('/api/rollback/restore', { workspace, checkpoint: listed.id }), { status: 503, body: { code: 'host_unreachable' } })
})
