import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { keptS, mostKept } from '../../services/areas/idempotency/index.js'
import { type Answer } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { sendForm } from '../support/forms.js'

let nowMs = Date.now()
const service = await startChat(t, { clock: { now: () => nowMs } })
const credential = `use sk-${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n'} for it`
const said = async (id: string): Promise<number> => (await service.session(id)).messages.filter(({ role }: { role: string }) => role === 'user').length

/** Every request that counts once: the request, another one of its kind, and the number of things that it has created. */
const operations: Array<[name: string, send: (id: string, clientId: string | null, which?: 'other') => Promise<Answer>, made: (id: string) => Promise<number> | number]> = [
  ['chat/start', async (id, clientId, which) => await service.post('/api/chat/start', { session_id: id, message: which ?? credential, client_id: clientId }), said],
  ['goal', async (id, clientId, which) => await service.post('/api/goal', { session_id: id, args: which ?? credential, client_id: clientId }), said],
  ['btw', async (id, clientId, which) => await service.post('/api/btw', { session_id: id, question: which ?? credential, client_id: clientId }), (id) => hidden(id, 'btw')],
  ['background', async (id, clientId, which) => await service.post('/api/background', { session_id: id, prompt: which ?? credential, client_id: clientId }), (id) => hidden(id, 'background')],
  ['session/queue', async (id, clientId, which) => await service.post('/api/session/queue', { session_id: id, action: 'add', message: which ?? credential, not_before: 4e9, client_id: clientId }), async (id) => (await service.get(`/api/session/queue?session_id=${id}`)).body.queue.length],
  ['crons/create', async (id, clientId, which) => await service.post('/api/crons/create', { prompt: which ?? credential, schedule: '1h', name: id, client_id: clientId }), async (id) => (await service.get('/api/crons')).body.jobs.filter(({ name }: { name: string }) => name === id).length],
  ...(['/api/upload', '/api/workspace/upload'] as const).map((path): typeof operations[number] => [path, async (id, clientId, which) => await upload(path, id, clientId, which ?? credential), (id) => files(path, id)]),
  ['/api/upload/extract', async (id, clientId, which) => await upload('/api/upload/extract', id, clientId, which ?? '', zip), (id) => files('/api/workspace/upload', id)]
]
/** An archive with one empty file, `a`. */
const zip = Buffer.from('UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAYVBLAQIUAxQAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAACAAQAAAABhUEsFBgAAAAABAAEALwAAAB8AAAAAAA==', 'base64')

function hidden (id: string, source: string): number {
  return service.app.db.sqlite.prepare<[string, string], number>('select count(*) from sessions where parent_session_id = ? and source = ?').pluck().get(id, source)!
}

async function upload (path: string, id: string, clientId: string | null, content: string, bytes = Buffer.from(content)): Promise<Answer> {
  return await sendForm(service.url + path, [
    { name: 'session_id', content: id }, ...(clientId === null ? [] : [{ name: 'client_id', content: clientId }]), { name: 'file', filename: `${id}${content === 'other' && path.endsWith('extract') ? '-other' : ''}.zip`, content: bytes }
  ])
}

const files = (path: string, id: string): number => {
  const folder = path === '/api/upload' ? join(service.folder, 'home', 'webui', 'attachments', id) : service.workspace
  return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(id)).length
}

for (const [name, send, made] of operations) {
  t.test(`${name}: the same id gets the first answer, and makes nothing twice`, async (t) => {
    const id = await service.newSession()
    const first = await send(id, 'an id')
    t.equal(first.status, 200, first.text)
    await eventually('its turn is over', async () => name === 'crons/create' || (await service.session(id)).active_stream_id === null)
    const [second, third] = await Promise.all([send(id, 'an id'), send(id, 'an id')])
    t.same([second.body, third.body], [first.body, first.body])
    t.equal(await made(id), 1)

    const reused = await send(id, 'an id', 'other')
    t.match([reused.status, reused.body], [409, { code: 'client_id_reused', error: /another request/ }])
    t.equal(await made(id), 1)

    // Ids are unrelated to requests elsewhere, except for jobs, which belong to the profile.
    const other = await service.newSession()
    const elsewhere = await send(other, name === 'crons/create' ? 'another id' : 'an id')
    t.equal(elsewhere.status, 200, elsewhere.text)
    t.notSame(elsewhere.body, first.body)
    t.equal(await made(other), 1)
    await eventually('its turn is over', async () => (await service.session(other)).active_stream_id === null)
    for (const letter of ['x', '😀']) t.equal((await send(other, letter.repeat(129))).status, 400)
    t.equal(await made(other), 1)
    const longest = await send(other, '😀'.repeat(128))
    t.equal(longest.status, 200, longest.text)
    await eventually('its turn is over', async () => (await service.session(other)).active_stream_id === null)
  })

  t.test(`${name}: two at once are one`, async (t) => {
    const id = await service.newSession()
    const [first, second] = await Promise.all([send(id, 'twin'), send(id, 'twin')])
    t.equal(first.status, 200, first.text)
    t.same(second.body, first.body)
    t.equal(await made(id), 1)
    await eventually('its turn is over', async () => (await service.session(id)).active_stream_id === null)
  })

  t.test(`${name}: without an id every request counts`, async (t) => {
    const id = await service.newSession()
    for (const count of [1, 2]) {
      const { status, text } = await send(id, null)
      t.equal(status, 200, text)
      t.equal(await made(id), count)
      await eventually('its turn is over', async () => (await service.session(id)).active_stream_id === null)
    }
  })
}

for (const [name, send, made] of operations) {
  t.test(`${name}: an id that another one could become is refused, and an empty one is none`, async (t) => {
    const id = await service.newSession()
    // Half a character can only come in JSON: a form is UTF-8, and contains U+FFFD by then.
    for (const broken of ['\ud83d', 'a\udc00', '\ufffd']) {
      const { status, body } = await send(id, broken)
      t.match([status, body.error], [400, /client_id/], JSON.stringify(broken))
    }
    t.equal(await made(id), 0)
    for (const count of [1, 2]) {
      const { status, text } = await send(id, '')
      t.equal(status, 200, text)
      t.equal(await made(id), count)
      await eventually('its turn is over', async () => (await service.session(id)).active_stream_id === null)
    }
  })
}

t.test('whatever is done, its answer is stored with it or it is not done: a kill finds both or neither', async (t) => {
  const { sqlite } = service.app.db
  const refusing = async (send: () => Promise<Answer>): Promise<Answer> => {
    sqlite.exec("create trigger refuse before insert on known_requests begin select raise(abort, 'refused'); end")
    try {
      return await send()
    } finally {
      sqlite.exec('drop trigger refuse')
    }
  }
  for (const [name, send, made] of operations) {
    const id = await service.newSession()
    const { status, text } = await refusing(async () => await send(id, 'refused'))
    t.ok(status >= 400, `${name}: ${status} ${text}`)
    t.equal(await made(id), 0, name)
  }
  const id = await service.newSession()
  const goal = async (args: string, clientId?: string): Promise<Answer> => await service.post('/api/goal', { session_id: id, args, client_id: clientId })
  const row = (): unknown => sqlite.prepare('select * from goals where session_id = ?').get(id)
  await goal('Reach it')
  await eventually('its turn is over', async () => (await service.session(id)).active_stream_id === null)
  // The judge model has found it reached.
  sqlite.prepare("update goals set status = 'paused' where session_id = ?").run(id)
  for (const [before, args] of [['resume', 'pause'], ['pause', 'resume'], ['pause', 'clear']] as const) {
    t.equal((await goal(before)).status, 200, before)
    const kept = row()
    t.ok((await refusing(async () => await goal(args, 'refused'))).status >= 400, args)
    t.same(row(), kept, args)
  }
  t.equal((await goal('resume')).status, 200)
  const [first, again] = [await goal('pause', 'once'), (await goal('resume'), await goal('pause', 'once'))]
  t.same(again.body, first.body, 'the first answer')
  t.match(row(), { status: 'active' }, 'and nothing is done again')
})

t.test('what was made before a kill, and not answered, is found when it is sent again', async (t) => {
  const { sqlite } = service.app.db
  for (const [path, send, made] of operations.filter(([name]) => name.startsWith('/'))) {
    const id = await service.newSession()
    t.equal((await send(id, null)).status, 200)
    if (path.endsWith('extract')) writeFileSync(join(service.workspace, id, 'changed'), 'after it was unpacked')
    const first = await send(id, 'cut off')
    t.equal(await made(id), 2, path)
    // The state that a kill between the work and its answer leaves.
    t.equal(sqlite.prepare("update known_requests set answer = null where owner = ? and client_id = 'cut off'").run(`session ${id}`).changes, 1, path)
    const again = await send(id, 'cut off')
    t.equal(again.status, 200, again.text)
    t.equal(await made(id), 2, path)
    if (!path.endsWith('extract')) continue
    t.same(again.body, first.body)
    t.same(readdirSync(service.workspace).filter((entry) => entry.startsWith('.agent-')), [])
  }
})

t.test('of an unpacked folder that was changed, or is a link, nothing is told', async (t) => {
  const { sqlite } = service.app.db
  const send = operations.at(-1)![1]
  const changes: Array<(folder: string) => void> = [
    (folder) => writeFileSync(join(folder, 'a'), 'x'),
    (folder) => writeFileSync(join(folder, 'b'), ''),
    (folder) => rmSync(join(folder, 'a')),
    (folder) => { rmSync(join(folder, 'a')); mkdirSync(join(folder, 'a')) },
    (folder) => { rmSync(join(folder, 'a')); symlinkSync('/dev/null', join(folder, 'a')) },
    (folder) => { renameSync(folder, `${folder}.away`); symlinkSync(`${folder}.away`, folder) }
  ]
  for (const [index, change] of changes.entries()) {
    const id = await service.newSession()
    const { body: { dest } } = await send(id, 'one')
    change(join(service.workspace, dest))
    sqlite.prepare('update known_requests set answer = null where owner = ?').run(`session ${id}`)
    t.match(await send(id, 'one'), { status: 200, body: { dest: `${dest}-2`, files: [`${dest}-2/a`] } }, `change ${index}`)
  }
})

t.test('a deleted profile takes its ids along, also when its home is taken away by hand', async (t) => {
  const create = async () => (await service.post('/api/crons/create', { prompt: 'x', schedule: '1h', profile: 'work', client_id: 'one' })).body.job?.id as string | undefined
  const jobs = new Set<string | undefined>()
  for (const away of [
    async () => { t.equal((await service.post('/api/profile/delete', { name: 'work' })).status, 200) },
    async () => {
      rmSync(join(service.folder, 'home', 'profiles', 'work'), { recursive: true })
      await eventually('it is noticed', () => service.app.db.sqlite.prepare("select 1 from known_requests where owner = 'profile work'").get() === undefined)
    },
    async () => {}
  ]) {
    t.equal((await service.post('/api/profile/create', { name: 'work' })).status, 200)
    const job = await create()
    t.equal(await create(), job)
    jobs.add(job)
    await away()
  }
  t.equal(jobs.size, 3)
  t.notOk(jobs.has(undefined))
})

t.test('an id of one kind of request is none of another', async (t) => {
  const id = await service.newSession()
  t.equal((await service.post('/api/btw', { session_id: id, question: 'What?', client_id: 'one' })).status, 200)
  t.match(await service.post('/api/background', { session_id: id, prompt: 'What?', client_id: 'one' }), { status: 409, body: { code: 'client_id_reused' } })
})

t.test('a cut connection, a running turn and a cancelled one change nothing about the answer', async (t) => {
  const open = gate()
  const model = service.model(held(open, [{ text: 'Let me' }], [{ text: ' see.' }]))
  const id = await service.newSession()
  const body = { session_id: id, message: credential, model, client_id: 'cut' }
  // The service receives the whole request, but the client is gone before the answer.
  await new Promise<void>((resolve) => {
    const cut = request(`${service.url}/api/chat/start`, { method: 'POST', headers: { 'content-type': 'application/json' } }).on('error', () => {}).on('close', () => resolve())
    cut.end(JSON.stringify(body), () => setImmediate(() => cut.destroy()))
  })
  const first = await eventually('it has arrived', async () => (await service.session(id)).active_stream_id as string | null)
  const again = await service.post('/api/chat/start', body)
  t.match(again, { status: 200, body: { stream_id: first, session_id: id } })
  t.match(await service.post('/api/chat/start', { ...body, client_id: 'later' }), { status: 409, body: { active_stream_id: first } }, 'what was refused is not remembered')
  await service.post('/api/chat/cancel', { stream_id: first })
  t.same((await service.post('/api/chat/start', body)).body, again.body)
  t.equal(await said(id), 1)
  open.open()
  const later = await service.post('/api/chat/start', { ...body, client_id: 'later' })
  t.not(later.body.stream_id, first)
  t.equal(await said(id), 2)
})

t.test('errors that stored nothing are not remembered; a deleted session takes its ids along', async (t) => {
  t.equal((await service.post('/api/chat/start', { session_id: 'nowhere', message: 'Hi', client_id: 'one' })).status, 404)
  const id = await service.newSession()
  t.equal((await service.post('/api/chat/start', { session_id: id, message: ' ', client_id: 'one' })).status, 400)
  t.equal((await service.post('/api/chat/start', { session_id: id, message: 'Hi', client_id: 'one' })).status, 200)
  await service.post('/api/session/delete', { session_id: id })
  t.equal((await service.post('/api/chat/start', { session_id: id, message: 'Hi', client_id: 'one' })).status, 404)
})

t.test('what is kept is bounded: by a week, and by a number for each session', async (t) => {
  const id = await service.newSession()
  const ask = async () => (await service.post('/api/btw', { session_id: id, question: 'What?', client_id: 'one' })).body.stream_id as string
  const first = await ask()
  nowMs += (keptS - 60) * 1000
  t.equal(await ask(), first)
  nowMs += 61_000
  const second = await ask()
  t.not(second, first, 'a week later it is another request')
  t.equal(await ask(), second)

  const { sqlite } = service.app.db
  const count = sqlite.prepare<[], number>('select count(*) from known_requests').pluck()
  sqlite.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${mostKept + 100})
    insert into known_requests (owner, client_id, session_id, operation, fingerprint, created_at) select 'session ${id}', i, '${id}', 'chat/start', '', i from n`)
  await service.post('/api/btw', { session_id: id, question: 'What else?', client_id: 'two' })
  t.equal(sqlite.prepare<[string], number>('select count(*) from known_requests where owner = ?').pluck().get(`session ${id}`), mostKept)
  t.equal(await ask(), second, 'the oldest ones have gone')
  await service.app.idempotency.prune()
  t.ok(count.get()! <= 3, `${count.get()} are left`)
})
