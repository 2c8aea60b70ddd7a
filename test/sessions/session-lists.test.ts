import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { gunzipSync } from 'node:zlib'
import { eventually, gate, held, startChat, type ChatService } from '../support/chat.js'
import { type Answer, type StartOptions, type TestLike } from '../support/app.js'

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire

let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs++ }

/** Creates a service with its own lists, and the requests that this file repeats. */
async function scene (t: TestLike, options: StartOptions = {}) {
  const service = await startChat(t, { clock, ...options })
  await eventually('the provider to say which models it has', async () => (await service.get('/api/settings')).body.default_model)
  const list = async (query = ''): Promise<Row> => (await service.get(`/api/sessions${query}`)).body
  const rows = async (query = ''): Promise<Row[]> => (await list(query)).sessions
  const titles = async (query = ''): Promise<string[]> => (await rows(query)).map((row) => row.title)
  const post = (name: string, session: string, body: object = {}) => service.post(`/api/session/${name}`, { session_id: session, ...body })
  return {
    ...service,
    list,
    rows,
    titles,
    row: async (id: string): Promise<Row> => (await rows('?include_archived=1&all_profiles=1')).find((row) => row.session_id === id)!,
    change: post,
    /** Creates a conversation whose last message is `ageS` seconds old. */
    async conversation (title: string, ageS = 0): Promise<string> {
      const { body } = await service.post('/api/session/import', { title, messages: [{ role: 'user', content: `About ${title}`, timestamp: nowMs / 1000 - ageS }, { role: 'assistant', content: 'Yes.', timestamp: nowMs / 1000 - ageS }] })
      return body.session.session_id as string
    },
    async fork (parent: string, title: string): Promise<string> {
      return (await post('branch', parent, { title })).body.session_id as string
    },
    /** Runs `work` while another profile is the active one. */
    async as<T> (profile: string, work: () => Promise<T>): Promise<T> {
      mkdirSync(join(service.folder, 'home', 'profiles', profile), { recursive: true })
      writeFileSync(join(service.folder, 'home', 'active_profile'), `${profile}\n`)
      try {
        return await work()
      } finally {
        rmSync(join(service.folder, 'home', 'active_profile'))
      }
    }
  }
}

/** Returns an answer as it is on the wire. */
async function raw (service: ChatService, path: string, headers: Record<string, string>): Promise<{ headers: Record<string, unknown>, bytes: Buffer }> {
  return await new Promise((resolve, reject) => {
    request(service.url + path, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }))
    }).on('error', reject).end()
  })
}

t.test('the list stands in the order of the last message', async (t) => {
  const s = await scene(t)
  const old = await s.conversation('Old', 300)
  await s.conversation('Older', 400)
  await s.conversation('New', 100)
  t.same(await s.titles(), ['New', 'Old', 'Older'])
  await s.change('update', old, { workspace: s.workspace })
  await s.change('draft', old, { text: 'I was about to say' })
  await s.change('pin', old)
  t.same(await s.titles(), ['New', 'Old', 'Older'], 'what is no message moves nothing; pins are for the client to put on top')
  await s.turn(old, 'Something new', s.model())
  t.same(await s.titles(), ['Old', 'New', 'Older'])
  await s.change('undo', old)
  t.same(await s.titles(), ['New', 'Old', 'Older'], 'a turn that is taken back takes its place back')
})

t.test('archived sessions', async (t) => {
  const s = await scene(t)
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await s.conversation(`Put away ${n}`, 1_000 + n * 100))
  await s.conversation('Here', 1_250)
  const before = await s.row(ids[2]!)
  for (const id of ids) t.match((await s.change('archive', id)).body, { ok: true, session: { session_id: id, archived: true } })
  t.same(await s.titles(), ['Here'])
  t.match(await s.list(), { archived_count: 5, archived_webui_count: 5, archived_cli_count: 0, include_archived: false, webui_session_count: 1 })
  t.same(await s.row(ids[2]!), { ...before, archived: true }, 'nothing else about it changes, updated_at least of all')
  t.same(await s.titles('?include_archived=1'), ['Put away 0', 'Put away 1', 'Put away 2', 'Here', 'Put away 3', 'Put away 4'], 'each in its place')
  for (const on of ['1', 'true', 'YES', 'On']) t.equal((await s.rows(`?include_archived=${on}`)).length, 6, on)
  for (const off of ['', '0', 'no', 'off', '2', 'garbage']) t.equal((await s.rows(`?include_archived=${off}`)).length, 1, off)

  t.same(await s.titles('?include_archived=1&archived_limit=2&archived_offset=1'), ['Put away 1', 'Put away 2', 'Here'], 'paging is for the archived ones alone')
  t.same(await s.titles('?include_archived=1&archived_limit=2&archived_offset=4'), ['Here', 'Put away 4'])
  t.same(await s.titles('?include_archived=1&archived_offset=5'), ['Here'])
  t.same(await s.titles('?include_archived=1&archived_limit=0'), ['Here'])
  t.equal((await s.list('?include_archived=1&archived_limit=1')).archived_count, 5, 'the count is not that of the page')
  const paging: Array<[string, number, number]> = [
    ['', 2_000, 0], ['&archived_limit=2001', 2_000, 0], ['&archived_limit=999999999', 2_000, 0], ['&archived_limit=-1', 0, 0], ['&archived_limit=', 2_000, 0],
    ['&archived_limit=ten', 2_000, 0], ['&archived_limit=1.5', 2_000, 0], ['&archived_limit=1e3', 2_000, 0], ['&archived_limit=%201%20', 1, 0],
    ['&archived_offset=200001', 2_000, 200_000], ['&archived_offset=-7', 2_000, 0], ['&archived_offset=NaN', 2_000, 0], ['&archived_offset=200000', 2_000, 200_000]
  ]
  for (const [query, limit, offset] of paging) t.match(await s.list(`?include_archived=1${query}`), { archived_limit: limit, archived_offset: offset }, query)

  t.match((await s.change('archive', ids[0]!, { archived: false })).body, { ok: true, session: { archived: false } })
  t.same(await s.titles(), ['Put away 0', 'Here'])
  await s.change('archive', ids[0]!, { archived: false })
  await s.turn(ids[1]!, 'Are you still there?', s.model())
  t.same(await s.titles(), ['Put away 0', 'Here'], 'a message does not bring it back')
  t.equal((await s.titles('?include_archived=1'))[0], 'Put away 1')

  s.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(ids[0])
  t.match(await s.change('archive', ids[0]!), { status: 400, body: { error: /read/ } })
  for (const wrong of ['yes', 1, [], {}]) t.equal((await s.change('archive', ids[1]!, { archived: wrong })).status, 400, `archived: ${JSON.stringify(wrong)}`)
  t.equal((await s.change('archive', '0123456789ab')).status, 404)
})

t.test('pages of archived sessions show each of them once, also those of the same moment', async (t) => {
  const s = await scene(t)
  for (let n = 0; n < 7; n++) {
    const { body } = await s.post('/api/session/import', { title: `${n}`, messages: [{ role: 'user', content: 'x', timestamp: 1_700_000_000 }] })
    await s.change('archive', body.session.session_id)
  }
  for (const more of ['', '&all_profiles=1']) {
    const seen: string[] = []
    for (let offset = 0; offset < 7; offset += 2) seen.push(...await s.titles(`?include_archived=1&archived_limit=2&archived_offset=${offset}${more}`))
    t.same(seen.sort(), ['0', '1', '2', '3', '4', '5', '6'])
  }
})

t.test('sessions of all profiles', async (t) => {
  const s = await scene(t)
  await s.conversation('Mine', 200)
  const theirs = await s.as('work', () => s.conversation('Of work', 100))
  await s.as('work', () => s.conversation('Of work, put away', 300).then((id) => s.change('archive', id)))
  t.match((await s.row(theirs)).profile, 'work')
  t.same(await s.titles(), ['Mine'])
  t.match(await s.list(), { active_profile: 'default', all_profiles: false, other_profile_count: 1, archived_count: 0, webui_session_count: 1 })
  t.same(await s.titles('?all_profiles=1'), ['Of work', 'Mine'])
  t.match(await s.list('?all_profiles=1'), { active_profile: 'default', all_profiles: true, archived_count: 1, webui_session_count: 2 })
  t.same(await s.titles('?all_profiles=1&include_archived=1'), ['Of work', 'Mine', 'Of work, put away'])
  t.same(await s.titles('?include_archived=1'), ['Mine'])
  await s.as('work', async () => {
    t.same(await s.titles('?include_archived=1'), ['Of work', 'Of work, put away'])
    t.match(await s.list(), { active_profile: 'work', other_profile_count: 1, archived_count: 1 })
  })
})

t.test('sessions of another front end stand beside our own', async (t) => {
  const folder = t.testdir()
  mkdirSync(join(folder, '.claude', 'projects', '-srv-engine'), { recursive: true })
  const entry = (type: string, content: unknown, second: number) => JSON.stringify({
    type, uuid: `u${second}`, parentUuid: null, sessionId: '5a0ddcd0-5487-4794-99ac-143f6bb9e248', cwd: '/srv/engine', isSidechain: false, userType: 'external',
    timestamp: new Date(1_700_000_000_000 + second * 1000).toISOString(), message: { role: type, content, ...(type === 'assistant' && { id: 'm1', model: 'some-model', type: 'message' }) }
  })
  writeFileSync(join(folder, '.claude', 'projects', '-srv-engine', '5a0ddcd0-5487-4794-99ac-143f6bb9e248.jsonl'), `${entry('user', 'Start the engine', 1)}\n${entry('assistant', [{ type: 'text', text: 'It runs.' }], 2)}\n`)
  const s = await scene(t, { folder })
  await s.conversation('Ours')
  await eventually('the session of the other front end', async () => (await s.rows()).some((row) => row.is_cli_session))
  const sources = async (query: string) => (await s.rows(query)).map((row) => row.session_source)
  t.same(await sources(''), ['webui', 'cli'])
  t.same(await sources('?sidebar_source=webui'), ['webui'])
  t.same(await sources('?sidebar_source=cli'), ['cli'])
  t.same(await sources('?sidebar_source=garbage'), ['webui', 'cli'])
  for (const query of ['', '?sidebar_source=webui', '?sidebar_source=cli']) {
    t.match(await s.list(query), { cli_count: 1, cli_session_count: 1, webui_session_count: 1 }, `both counts are told, whichever side is shown: ${query}`)
  }
  const guest = (await s.rows('?sidebar_source=cli'))[0]!
  for (const name of ['archive', 'pin', 'move', 'undo', 'clear', 'truncate', 'compress', 'duplicate', 'delete']) {
    t.match(await s.change(name, guest.session_id, { title: 'x', keep_count: 0 }), { status: 403, body: { error: /read-only/ } }, name)
  }
})

t.test('what runs beside a conversation is in no list, whatever is asked', async (t) => {
  const s = await scene(t)
  const parent = await s.conversation('Parent')
  const { body } = await s.post('/api/btw', { session_id: parent, question: 'By the way?' })
  t.type(body.session_id, 'string')
  for (const query of ['', '?exclude_hidden=1', '?exclude_hidden=0', '?include_archived=1&all_profiles=1', '?sidebar_source=webui']) t.same(await s.titles(query), ['Parent'], query)
})

t.test('archived ancestors of what is shown come along for nesting', async (t) => {
  const s = await scene(t)
  const references = async (query = '') => (await s.list(query)).sidebar_reference_sessions as Row[]
  const oldest = await s.conversation('Oldest')
  const parent = await s.fork(oldest, 'Parent')
  const child = await s.fork(parent, 'Child')
  await s.change('archive', oldest)
  t.match(await references(), [{ session_id: oldest, title: 'Oldest', archived: true, _sidebar_reference_only: true }], 'also above one that is shown')
  await s.change('archive', parent)
  t.same((await references()).map((row) => row.title).sort(), ['Oldest', 'Parent'])
  t.same(await s.titles(), ['Child'], 'they are in no list themselves')
  t.same(await references('?include_archived=1'), [], 'they are rows like others when archived ones are asked for')
  t.same(await references('?sidebar_source=cli'), [])
  await s.change('rename', oldest, { title: 'The oldest' })
  t.same((await references()).map((row) => row.title).sort(), ['Parent', 'The oldest'])
  await s.change('archive', child)
  t.same(await references(), [], 'of what is not shown, none')
  await s.change('archive', child, { archived: false })
  await s.change('delete', parent)
  t.same(await references(), [], 'a chain that is broken ends there')

  const { root, leaf } = await s.as('work', async () => {
    const root = await s.conversation('Root of work')
    const leaf = await s.fork(root, 'Leaf of work')
    await s.change('archive', root)
    return { root, leaf }
  })
  t.same(await references(), [], 'nothing of another profile')
  t.match(await references('?all_profiles=1'), [{ session_id: root }])
  t.equal((await s.row(leaf)).parent_session_id, root)
  await s.as('work', async () => t.match(await references(), [{ session_id: root }]))
})

t.test('a list is sent again exactly when something of it has changed', async (t) => {
  const s = await scene(t)
  const parent = await s.conversation('Parent', 100)
  const sessionId = await s.fork(parent, 'Branch')
  const { body: { project } } = await s.post('/api/projects/create', { name: 'Folder' })
  const queries = ['', '?include_archived=1', '?all_profiles=1', '?sidebar_source=cli']
  const ask = async (etags: Map<string, string>, query: string): Promise<Answer> => await s.get(`/api/sessions${query}`, { 'if-none-match': etags.get(query) ?? '"none"' })
  const etags = new Map<string, string>()
  const refresh = async () => { for (const query of queries) etags.set(query, (await s.get(`/api/sessions${query}`)).headers.get('etag')!) }
  await refresh()
  t.equal(new Set(etags.values()).size, queries.length, 'each list has its own')
  t.not((await s.get('/api/sessions', { 'if-none-match': etags.get('?all_profiles=1')! })).status, 304, 'and no other\'s')

  const change = (name: string, body?: object) => () => s.change(name, sessionId, body)
  const visible: Array<[string, () => Promise<unknown>]> = [
    ['a name', change('rename', { title: 'Another name' })],
    ['a pin', change('pin')],
    ['a folder', change('move', { project_id: project.project_id })],
    ['a folder that is gone', () => s.post('/api/projects/delete', { project_id: project.project_id })],
    ['a model', change('update', { model: 'other' })],
    ['a workspace', change('update', { workspace: s.folder })],
    ['a turn', () => s.turn(sessionId, 'Hello', s.model())],
    ['an undone turn', change('undo')],
    ['a copy', change('duplicate')],
    ['one put away', change('archive')],
    ['one brought back', change('archive', { archived: false })],
    ['an ancestor put away', () => s.change('archive', parent)],
    ['the setting that masks', () => s.conversation('sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD').then(async () => {
      await refresh()
      await s.app.settings.change({ api_redact_enabled: false })
    })],
    ['a deletion', change('delete')]
  ]
  for (const [what, work] of visible) {
    await refresh()
    await work()
    const { status, body } = await ask(etags, '')
    t.equal(status, 200, `${what} is sent`)
    t.same(body.sessions, (await s.list()).sessions)
    await refresh()
    t.match(await ask(etags, ''), { status: 304, text: '' }, `${what} is sent once`)
  }

  const invisible: Array<[string, () => Promise<unknown>]> = [
    ['a draft', () => s.change('draft', parent, { text: 'Not sent yet' })],
    ['a session without a message', () => s.newSession()],
    ['a session looked at', () => s.session(parent)],
    ['a search', () => s.get('/api/sessions/search?q=about')],
    ['a shared page', () => s.change('share', parent)],
    ['a folder with nothing in it', () => s.post('/api/projects/create', { name: 'Empty' })],
    ['a side question', async () => {
      const { body } = await s.post('/api/btw', { session_id: parent, question: 'By the way?' })
      await (await s.watch(body.stream_id)).ended
    }],
    ['an empty session that is gone again', async () => s.change('delete', await s.newSession())]
  ]
  for (const [what, work] of invisible) {
    await refresh()
    await work()
    for (const query of queries) t.equal((await ask(etags, query)).status, 304, `${what} changes nothing: ${query}`)
  }
})

t.test('what waits for a person shows in the list at once', async (t) => {
  const s = await scene(t)
  const sessionId = await s.newSession()
  const streamId = await s.send(sessionId, 'Push it', { model: s.model([{ tool: 'terminal', args: { command: 'git push' } }]) })
  const etag = (await s.get('/api/sessions')).headers.get('etag')!
  await eventually('the approval in the list', async () => (await s.row(sessionId)).attention?.kind === 'approval')
  t.match(await s.row(sessionId), { attention: { kind: 'approval', count: 1, severity: 'critical' }, is_streaming: true, active_stream_id: streamId })
  t.equal((await s.get('/api/sessions', { 'if-none-match': etag })).status, 200)
  const { body: { pending } } = await s.get(`/api/approval/pending?session_id=${sessionId}`)
  const reader = await s.watch(streamId)
  await s.respond(sessionId, 'deny', pending.approval_id)
  await reader.ended
  t.match(await s.row(sessionId), { attention: null, is_streaming: false, active_stream_id: null })
})

t.test('compressed, the list says the same', async (t) => {
  const still = { now: () => 1_800_000_000_000 }
  const s = await startChat(t, { clock: still })
  for (let n = 0; n < 30; n++) await s.post('/api/session/import', { title: `Conversation ${n} äöü 漢字 👩‍🚀`, messages: [{ role: 'user', content: `${n}` }] })
  for (const path of ['/api/sessions', '/api/sessions?include_archived=1', '/api/sessions?sidebar_source=cli']) {
    const plain = await raw(s, path, { 'accept-encoding': 'identity' })
    t.equal((await raw(s, path, { 'accept-encoding': 'br, gzip;q=0' })).headers['content-encoding'], undefined)
    for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8']) {
      const packed = await raw(s, path, { 'accept-encoding': accepted })
      t.equal(packed.headers['content-encoding'], 'gzip')
      t.equal(Number(packed.headers['content-length']), packed.bytes.length)
      t.equal(gunzipSync(packed.bytes).toString(), plain.bytes.toString(), `${path}, ${accepted}`)
      t.equal(packed.headers.etag, plain.headers.etag)
    }
    t.equal(plain.headers['content-encoding'], undefined)
    t.match(plain.headers, { vary: /accept-encoding/i, 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' })
    t.match(JSON.parse(plain.bytes.toString()), { server_time: 1_800_000_000, server_tz: /^[+-]\d{4}$/ })
  }
  const { bytes, headers } = await raw(s, '/api/sessions', { 'if-none-match': (await raw(s, '/api/sessions', {})).headers.etag as string, 'accept-encoding': 'gzip' })
  t.equal(bytes.length, 0)
  t.equal(headers['content-encoding'], undefined)
})

t.test('pins', async (t) => {
  const s = await scene(t)
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push(await s.conversation(`Pin ${n}`))
  const pin = (index: number, pinned?: unknown) => s.change('pin', ids[index]!, pinned === undefined ? {} : { pinned })
  const full = (limit: number) => ({ status: 400, body: { error: `Up to ${limit} sessions can be pinned. Unpin one before pinning another.` } })
  for (const index of [0, 1, 2]) t.match(await pin(index), { status: 200, body: { ok: true, session: { session_id: ids[index], pinned: true } } })
  t.match(await pin(3), full(3))
  t.equal((await s.row(ids[3]!)).pinned, false)
  t.equal((await pin(0, true)).status, 200, 'what is pinned can be pinned')
  t.match((await pin(0, false)).body.session, { pinned: false })
  t.equal((await pin(3)).status, 200, 'a pin that was taken out makes room')
  t.match(await pin(0), full(3))
  await s.change('archive', ids[1]!)
  t.equal((await pin(0)).status, 200, 'archived ones do not count')
  await s.app.settings.change({ pinned_sessions_limit: 4 })
  t.equal((await pin(4)).status, 200, 'nor is three for ever')
  t.match(await pin(5), full(4))
  await s.app.settings.change({ pinned_sessions_limit: 1 })
  t.match(await pin(5), full(1))
  t.equal((await s.rows()).filter((row) => row.pinned).length, 4, 'a lower limit takes no pin out')
  const work = await s.as('work', () => s.conversation('Of work'))
  t.equal((await s.as('work', () => s.change('pin', work))).status, 200, 'each profile has its own')
  for (const wrong of ['yes', 1, 'true', []]) t.equal((await pin(5, wrong)).status, 400, JSON.stringify(wrong))
  t.equal((await s.change('pin', '0123456789ab')).status, 404)
  const empty = await s.newSession()
  await pin(0, false)
  await s.app.settings.change({ pinned_sessions_limit: 10 })
  await s.change('pin', empty)
  t.ok((await s.rows()).some((row) => row.session_id === empty), 'a pinned one is listed without a message')
})

t.test('pins that are set at the same moment keep to the limit', async (t) => {
  const s = await scene(t)
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => s.conversation(`Pin ${n}`)))
  const answers = await Promise.all(ids.map((id) => s.change('pin', id)))
  t.same(answers.map((answer) => answer.status).sort(), [200, 200, 200, 400, 400, 400, 400, 400])
  t.equal((await s.rows()).filter((row) => row.pinned).length, 3)
})

t.test('a name that is given', async (t) => {
  const s = await scene(t)
  const sessionId = await s.newSession()
  const rename = async (title: string) => (await s.change('rename', sessionId, { title })).body.session.title
  t.equal(await rename('  My \n name\t'), 'My name')
  t.equal(await rename('漢'.repeat(81)), '漢'.repeat(80), 'is at most 80 characters')
  t.equal(await rename('👩'.repeat(90)), '👩'.repeat(80), 'whole ones')
  t.equal(await rename(` ${'x'.repeat(80)} `), 'x'.repeat(80), 'after trimming')
  s.proposeTitle('Found by itself')
  await s.turn(sessionId, 'Hello', s.model())
  t.equal((await s.row(sessionId)).title, 'x'.repeat(80), 'stays')
  t.equal(await rename('   '), 'Untitled', 'a blank one gives it back')
  await s.turn(sessionId, 'Hello', s.model())
  t.equal((await s.row(sessionId)).title, 'Found by itself', 'and the service may find one')
})

t.test('a session is moved into a folder', async (t) => {
  const s = await scene(t)
  const create = async (name: string) => (await s.post('/api/projects/create', { name })).body.project.project_id as string
  const [first, second] = [await create('First'), await create('Second')]
  const work = await s.as('work', () => create('Of work'))
  const sessionId = await s.conversation('Moved')
  const before = await s.row(sessionId)
  const move = (body: object) => s.change('move', sessionId, body)
  t.match(await move({ project_id: first }), { status: 200, body: { ok: true, session: { session_id: sessionId, project_id: first } } })
  t.equal((await move({ project_id: second })).body.session.project_id, second)
  t.match(await move({ project_id: work }), { status: 404, body: { error: 'Project not found' } }, 'of another profile')
  t.match(await move({ project_id: 'nowhere' }), { status: 404, body: { error: 'Project not found' } })
  t.equal((await move({ project_id: 5 })).status, 400)
  t.equal((await s.row(sessionId)).project_id, second)
  t.equal((await move({ project_id: null })).body.session.project_id, null)
  await move({ project_id: first })
  t.equal((await move({})).body.session.project_id, null, 'a key that is left out means none')
  t.same(await s.row(sessionId), before, 'moving changes nothing else')
  t.equal((await s.change('move', '0123456789ab')).status, 404)
})

t.test('a move waits for the turn that runs', async (t) => {
  const s = await scene(t)
  const { body: { project } } = await s.post('/api/projects/create', { name: 'Folder' })
  const begin = async () => {
    const wait = gate()
    const sessionId = await s.newSession()
    const reader = await s.watch(await s.send(sessionId, 'Hello', { model: s.model(held(wait, [{ text: 'Well' }], [{ text: ' then.' }])) }))
    await reader.until('token')
    return { wait, sessionId, reader }
  }
  const [short, long] = [await begin(), await begin()]
  const moves = [short, long].map(({ sessionId }) => s.change('move', sessionId, { project_id: project.project_id }))
  short.wait.open()
  t.match(await moves[0], { status: 200, body: { session: { project_id: project.project_id } } }, 'and is done when it ends')
  t.match(await moves[1], { status: 503, body: { error: /^Session is busy \(streaming\)/ } }, 'or is given up')
  t.equal((await s.row(long.sessionId)).project_id, null)
  long.wait.open()
  await long.reader.ended
  t.equal((await s.change('move', long.sessionId, { project_id: project.project_id })).status, 200)
})

t.test('what is typed and not sent', async (t) => {
  const folder = t.testdir()
  const s = await scene(t, { folder })
  const sessionId = await s.conversation('Drafted')
  const draft = async (service = s) => (await service.get(`/api/session/draft?session_id=${sessionId}`)).body
  t.same(await draft(), { ok: true, draft: { text: '', files: [] } })
  t.equal((await s.session(sessionId)).composer_draft, null)
  const kept = { text: 'Half a senten\n "…" 👩‍🚀', files: [{ name: 'a.png', path: '/x/a.png' }, 'b.txt'] }
  t.same((await s.change('draft', sessionId, kept)).body, { ok: true, draft: kept })
  t.same(await draft(), { ok: true, draft: kept })
  t.same((await s.session(sessionId)).composer_draft, kept)
  t.same((await s.get(`/api/session?session_id=${sessionId}&messages=0`)).body.session.composer_draft, kept)
  for (const wrong of [{ text: 5 }, { files: 'a' }, { files: {} }]) t.equal((await s.change('draft', sessionId, wrong)).status, 400, JSON.stringify(wrong))
  await s.stop()
  const after = await scene(t, { folder })
  t.same(await draft(after), { ok: true, draft: kept }, 'is still there after a restart')
  await after.change('draft', sessionId, { text: '' })
  t.equal((await after.session(sessionId)).composer_draft, null, 'and goes when the composer is emptied')
  t.equal((await after.change('draft', '0123456789ab')).status, 404)
})

t.test('a deleted session leaves nothing', async (t) => {
  const s = await scene(t)
  const sessionId = await s.conversation('Zebras')
  await s.turn(sessionId, 'A word nobody says: xylotheque', s.model([{ tool: 'list_files', args: {} }], [{ text: 'A xylotheque keeps wood.' }]))
  const waiting = await s.send(sessionId, 'Push it', { model: s.model([{ tool: 'terminal', args: { command: 'git push' } }]) })
  await eventually('the approval', async () => (await s.row(sessionId)).attention)
  const { body: { path } } = await s.change('share', sessionId)
  t.equal((await s.get(`/api/session/shares?session_id=${sessionId}`)).body.shares.length, 1)
  const attachments = join(s.app.config.stateDir, 'attachments')
  mkdirSync(join(attachments, sessionId, 'deep'), { recursive: true })
  writeFileSync(join(attachments, sessionId, 'deep', 'a.txt'), 'a')
  const other = await s.conversation('Beside')
  mkdirSync(join(attachments, other))
  const found = async () => (await s.get('/api/sessions/search?q=xylotheque&depth=0')).body.count
  t.equal(await found(), 1)
  const child = await s.fork(sessionId, 'Child')

  t.match(await s.change('delete', sessionId), { status: 200, body: { ok: true } })
  const { sqlite } = s.app.db
  const tables = sqlite.prepare<[], { name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'message_texts%' and name <> 'usage'").all()
  for (const { name } of tables) {
    const columns = sqlite.prepare<[], { name: string }>(`select name from pragma_table_info('${name}')`).all().map((column) => column.name)
    for (const column of columns.filter((column) => ['session_id', 'stream_id'].includes(column) || (name === 'sessions' && column === 'id'))) {
      t.equal(sqlite.prepare(`select count(*) from ${name} where ${column} in (?, ?)`).pluck().get(sessionId, waiting), 0, `${name}.${column}`)
    }
  }
  for (const [table, column, owner] of [['frames', 'stream_id', 'streams'], ['steers', 'stream_id', 'streams'], ['streams', 'session_id', 'sessions'], ['messages', 'session_id', 'sessions']]) {
    t.equal(sqlite.prepare(`select count(*) from ${table} where ${column} not in (select id from ${owner})`).pluck().get(), 0, `no ${table} without an owner`)
  }
  t.notOk(readdirSync(attachments).includes(sessionId), 'nor its files')
  t.ok(readdirSync(attachments).includes(other), 'others stay')
  t.equal((await s.get(path)).status, 404)
  t.equal(await found(), 1, 'its branch says the word as well')
  t.equal((await s.get('/api/sessions/search?q=xylotheque&depth=0')).body.sessions[0].session_id, child)
  await s.change('delete', child)
  t.equal(await found(), 0)
  t.equal(sqlite.prepare("select count(*) from message_texts where message_texts match '\"xylotheque\"'").pluck().get(), 0, 'the index has forgotten it')
})

t.test('a sub-agent\'s session is not deleted by itself', async (t) => {
  const s = await scene(t)
  const parent = await s.newSession()
  await s.turn(parent, 'Do it', s.model([{ tool: 'delegate', args: { task: 'Count' } }], [{ text: 'One.' }], [{ text: 'Counted.' }]))
  const child = (await s.rows()).find((row) => row.parent_session_id === parent)!
  t.match(child, { read_only: true, relationship_type: 'child_session' })
  t.match(await s.change('delete', child.session_id), { status: 400, body: { error: String } })
  t.match(await s.change('duplicate', child.session_id), { status: 400, body: { error: String } })
  t.equal((await s.session(child.session_id)).message_count, 2)
  await s.change('delete', parent)
  t.equal((await s.get(`/api/session?session_id=${child.session_id}`)).status, 404, 'it goes with its parent')
})
