import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { startAgent, writeConfig, type AgentService } from '../support/acp/agents.js'
import { openCodeFile } from '../support/acp/opencode-file.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

// Conversations of Gemini CLI and OpenCode, as those programs keep them: listed, read, and gone on with in place.

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire
type Keeps = 'gemini' | 'opencode'

const ids = { gemini: '019d6057-5b00-70f0-bed7-96d71b8757fd', opencode: 'ses_019d60575b0070f0bed796d7' }
const agents = { gemini: 'gemini-cli', opencode: 'opencode' }
const program = asset('test/support/acp/keeping-agent.js')

/** A conversation, and what its own program does in it. */
function terminal (t: Test, keeps: Keeps) {
  const folder = temporaryFolder(t, 'makers')
  const work = join(folder, 'engine')
  mkdirSync(work)
  const id = ids[keeps]
  const config = { agent: undefined, agents: { [agents[keeps]]: { command: [process.execPath, program], name: 'Keeping', env: { HOME: folder, KEEPS: keeps, TAKES_UP: keeps === 'gemini' ? 'load' : 'resume' } } } }
  if (keeps === 'opencode') {
    const database = openCodeFile(folder)
    t.teardown(() => { if (database.db.isOpen) database.db.close() })
    database.session(id, { directory: work, title: 'Carpets', tokens_input: 100, tokens_output: 10, tokens_cache_read: 5 })
    let open = ''
    const says = (message: string, answer?: string): void => {
      const parent = database.put(id, 'user', message)
      open = database.put(id, 'assistant', answer ?? 'I am at', { parent, isOpen: answer === undefined })
    }
    says('Weave a carpet', 'Woven.')
    return {
      folder, work, id, config, says,
      ends: () => database.finish(open),
      cuts: () => { database.db.exec('delete from message where rowid > 1') },
      file: database.file,
      database
    }
  }
  const file = join(folder, '.gemini', 'tmp', 'engine', 'chats', `session-2026-02-03T10-11-${id.slice(0, 8)}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(join(dirname(dirname(file)), '.project_root'), work)
  let count = 0
  const put = (entry: Row): void => appendFileSync(file, `${JSON.stringify(entry)}\n`)
  const message = (type: string, more: Row): void => {
    put({ id: `m-${++count}`, timestamp: new Date().toISOString(), type, ...more })
    put({ $set: { lastUpdated: new Date().toISOString() } })
  }
  const says = (text: string, answer?: string): void => {
    message('user', { content: [{ text }] })
    if (answer !== undefined) message('gemini', { content: answer, model: 'gemini-3', tokens: { input: 100, output: 10, cached: 5, thoughts: 0 } })
  }
  put({ sessionId: id, projectHash: 'x', startTime: new Date().toISOString(), kind: 'main' })
  put({ $set: { messages: [{ id: 'context', type: 'user', content: [{ text: '<session_context>\nToday is a day.\n</session_context>' }] }] } })
  says('Weave a carpet', 'Woven.')
  return { folder, work, id, config, says, ends: () => message('gemini', { content: 'done.' }), cuts: () => truncateSync(file, 100), file, database: null }
}

const texts = async (service: AgentService, id: string): Promise<string[]> => ((await service.session(id)).messages as Row[]).map(({ role, content }) => `${role}: ${String(content)}`)

for (const keeps of ['gemini', 'opencode'] as const) {
  t.test(`${keeps}: gone on with in place, and who comes second is told`, async (t) => {
    const theirs = terminal(t, keeps)
    const { id } = theirs
    const service = await startAgent(t, theirs.config, { folder: theirs.folder })
    await service.app.foreign.refresh()
    const caughtUp = async (): Promise<void> => {
      await eventually('the turn to be over', async () => (await service.get(`/api/session?session_id=${id}&messages=0`)).body.session.active_stream_id === null)
      await service.app.attached.refresh()
    }
    t.match(await service.session(id), { read_only: true, title: keeps === 'gemini' ? 'Weave a carpet' : 'Carpets', workspace: theirs.work, message_count: 2, output_tokens: 10, cache_read_tokens: 5 })
    t.match((await service.get(`/api/session/attach?session_id=${id}`)).body, { agent: agents[keeps], can_attach: true })
    t.match(await service.post('/api/session/attach', { session_id: id }), { status: 200, body: { session: { read_only: false, message_count: 2 } } })
    t.equal((await service.turn(id, 'say A second one.')).text, 'A second one.')
    t.equal((await service.turn(id, 'recall')).text, 'I know: Weave a carpet | say A second one.', 'out of its own session')
    await caughtUp()
    t.equal((await service.session(id)).message_count, 6, 'what the agent has written is known already')

    theirs.says('And in blue?', 'Blue it is.')
    t.match(await service.post('/api/chat/start', { session_id: id, message: 'say Too late.' }), { status: 409, body: { code: 'terminal_wrote' } })
    t.same((await texts(service, id)).slice(-2), ['user: And in blue?', 'assistant: Blue it is.'])
    t.equal((await service.turn(id, 'say Again.')).text, 'Again.')
    theirs.says('A long one')
    t.match(await service.post('/api/chat/start', { session_id: id, message: 'say Meanwhile.' }), { status: 409, body: { code: 'terminal_busy' } })
    theirs.ends()
    t.match(await service.post('/api/chat/start', { session_id: id, message: 'say Meanwhile.' }), { status: 409, body: { code: 'terminal_wrote' } })

    const sign = join(theirs.folder, 'go-on')
    const reader = await service.watch(await service.send(id, `until ${sign}`))
    const isWritten = (): boolean => theirs.database === null ? readFileSync(theirs.file, 'utf8').includes(sign) : theirs.database.said(id).some((text: string) => text.includes(sign))
    await eventually('our message there', isWritten)
    theirs.says('Beside you', 'I saw nothing of that.')
    writeFileSync(sign, '')
    await reader.ended
    t.match(reader.frames.find(({ event }) => event === 'warning')?.data, { type: 'terminal_wrote' })
    await eventually('theirs to follow', async () => (await texts(service, id)).includes('assistant: I saw nothing of that.'))
    t.same((await texts(service, id)).slice(-4), [`user: until ${sign}`, `assistant: ${sign}`, 'user: Beside you', 'assistant: I saw nothing of that.'], 'each turn once')
    await caughtUp()
    theirs.cuts()
    t.match(await service.post('/api/chat/start', { session_id: id, message: 'x' }), { status: 409, body: { code: 'terminal_lost' } })
  })

  t.test(`${keeps}: a service that is killed at any moment says nothing twice and loses nothing`, { long: true }, async (t) => {
    const theirs = terminal(t, keeps)
    const { id } = theirs
    writeConfig(theirs.folder, theirs.config)
    let server = await spawnServer(t, theirs.folder)
    await eventually('it to be listed', async () => (await server.json('/api/sessions')).sessions.some(({ session_id: one }: Row) => one === id))
    await server.json('/api/session/attach', { session_id: id })
    const expected = ['Weave a carpet', 'Woven.']
    for (let round = 0; round < 4; round++) {
      await server.json('/api/chat/start', { session_id: id, message: `say The answer of round ${round}.` })
      await (round % 2 === 0 ? server.crash() : server.end('SIGKILL'))
      if (round % 2 === 1) theirs.says(`Terminal ${round}`, `Told ${round}.`)
      expected.push(`say The answer of round ${round}.`, ...round % 2 === 1 ? [`Terminal ${round}`, `Told ${round}.`] : [])
      server = await spawnServer(t, theirs.folder)
      await eventually('the turn to be over', async () => (await server.json(`/api/session?session_id=${id}&messages=0`)).session.active_stream_id === null)
      await eventually('all of it to be here', async () => {
        const shown = ((await server.json(`/api/session?session_id=${id}`)).session.messages as Row[]).map(({ content }) => String(content))
        return expected.every((text) => shown.filter((one) => one === text).length === 1) && new Set(shown.filter((text) => text.startsWith('The answer'))).size === shown.filter((text) => text.startsWith('The answer')).length
      })
    }
  })
}

t.test('a message of Gemini CLI that grows, and what it did', async (t) => {
  const { file, id, folder, config } = terminal(t, 'gemini')
  const call = { id: 'c-1', name: 'run_shell_command', args: { command: 'ls' } }
  const answer = { id: 'a-1', timestamp: '2026-02-03T10:12:00.000Z', type: 'gemini', content: 'I look.', thoughts: [{ subject: 'Files', description: 'There may be some.' }], model: 'gemini-3' }
  for (const entry of [
    { id: 'u-1', type: 'user', content: 'What is here?' }, answer, { ...answer, tokens: { input: 7, output: 3, cached: 0, thoughts: 2 } }, { ...answer, toolCalls: [call] },
    { ...answer, toolCalls: [{ ...call, status: 'success', result: [{ functionResponse: { id: 'c-1', response: { output: 'loom.rs' } } }] }] },
    { id: 'u-2', type: 'user', content: [{ functionResponse: { id: 'c-1', response: { output: 'loom.rs' } } }] },
    { $set: { messages: [answer], summary: 'Looking around' } }, { $rewindTo: 'u-1' }, { id: 'e', type: 'error', content: 'The network is gone' }
  ]) appendFileSync(file, `${JSON.stringify(entry)}\n`)
  appendFileSync(file, '{"id":"half')
  writeFileSync(join(dirname(file), 'session-2026-02-03T10-12-deadbeef.jsonl'), '{"sessionId":"x","kind":"subagent"}\n{"id":"1","type":"user","content":"Sub"}\n')
  const service = await startAgent(t, config, { folder })
  await service.app.foreign.refresh()
  t.match((await service.get('/api/sessions')).body.sessions, [{ session_id: id, title: 'Looking around', message_count: 5, user_message_count: 2, input_tokens: 107, output_tokens: 15 }])
  const shown = await service.session(id)
  t.match(shown.messages.slice(2), [{ content: 'What is here?' }, { content: 'I look.', reasoning: 'Files\nThere may be some.', tool_calls: [{ id: 'c-1' }] }, { role: 'tool', content: 'loom.rs' }])
  t.equal(shown.messages.length, 5, 'nothing twice')
})

t.test('OpenCode is not held up, and its database is not trusted', async (t) => {
  const { database, file, id, folder, config, says } = terminal(t, 'opencode')
  const { db, put, session } = database!
  session('ses_child', { directory: '/', title: 'x', parent_id: id })
  const parent = put(id, 'user', 'What is here?')
  put(id, 'assistant', 'I look.', { parent, parts: [{ type: 'reasoning', text: 'Hm.' }, { type: 'tool', tool: 'bash', callID: 'c', state: { status: 'completed', input: { command: 'ls' }, output: 'loom.rs' } }, { type: 'step-finish' }] })
  put(id, 'user', 'x'.repeat(9_000_000))
  db.prepare('insert into message values (?, ?, 1, 1, ?)').run('msg_broken', id, '{"role":')
  const service = await startAgent(t, config, { folder })
  const look = async (): Promise<Row[]> => {
    if (await service.app.foreign.refresh()) service.app.sessions.changed('session_imported')
    return (await service.get('/api/sessions')).body.sessions
  }
  t.match(await look(), [{ session_id: id, message_count: 5 }])
  t.match((await service.session(id)).messages.slice(2), [{ content: 'What is here?' }, { content: 'I look.', reasoning: 'Hm.', tool_calls: [{ id: 'c' }] }, { role: 'tool', content: 'loom.rs' }])
  // In the middle of a transaction of its program what was there before is read; and it can write whenever it likes.
  db.exec('begin immediate')
  db.prepare('update session set title = ?, time_updated = time_updated + 1').run('Unfinished')
  t.match(await look(), [{ title: 'Carpets' }])
  db.exec('commit')
  says('More', 'Of it.')
  t.match(await look(), [{ title: 'Unfinished', message_count: 7 }])
  t.same(db.prepare('pragma wal_checkpoint(truncate)').get(), { busy: 0, log: 0, checkpointed: 0 }, 'nobody reads on in its log')

  const rows = async (): Promise<number> => (await look()).length
  db.exec('alter table part rename to parts; create view part as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, i as message_id, i as session_id, i as data, i as time_updated from n')
  await service.app.foreign.refresh()
  t.equal((await service.get(`/api/session?session_id=${id}`)).status, 503, 'a view would be a program')
  db.close()
  for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
  writeFileSync(file, 'no database at all')
  t.equal(await rows(), 1, 'one that cannot be read says nothing of what is gone')
  rmSync(file)
  symlinkSync('/etc/passwd', file)
  t.equal(await rows(), 0, 'a link is followed nowhere')
  t.notOk(existsSync('/etc/passwd-shm'))
})
