import { client, methods, ndJsonStream, type ClientContext, type RequestPermissionRequest, type SessionUpdate } from '@agentclientprotocol/sdk'
import * as second from '@agentclientprotocol/sdk/experimental/v2'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import t from '#test'
import { createAcpAgent } from '../../acp/agent.js'
import { callOf } from '../../acp/updates.js'
import { Client } from '../../clients/typescript/src/index.js'
import { start, type StartOptions, type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { cuttable } from '../support/cuttable.js'
import { serving } from '../support/listening.js'

interface Editor {
  service: TestService
  updates: SessionUpdate[]
  permissions: RequestPermissionRequest[]
  forms: Array<Record<string, unknown>>
  /** The person's answers; null: none yet. */
  answers: { permission: string | null, form: string }
  agent: ClientContext
  text: (kind?: SessionUpdate['sessionUpdate']) => string
  newSession: () => Promise<string>
  prompt: (sessionId: string, text: string) => Promise<string>
}

/**
 * Opens an editor with the protocol's own client, the agent on its other end, and a real service behind it; `way` returns the address at
 * which the agent finds the service.
 */
async function openEditor (t: TestLike, options: StartOptions = {}, { hasForms = true, way = async (url: string): Promise<string> => url } = {}): Promise<Editor> {
  const service = await start(t, options)
  const gone = new AbortController()
  const updates: SessionUpdate[] = []
  const permissions: RequestPermissionRequest[] = []
  const forms: Array<Record<string, unknown>> = []
  const answers: Editor['answers'] = { permission: null, form: '' }
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => { updates.push(params.update) })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      permissions.push(params)
      await eventually('an answer', () => answers.permission !== null || signal.aborted)
      return { outcome: signal.aborted ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: answers.permission! } }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push({ ...params })
      return { action: 'accept', content: { answer: answers.form } }
    })
  const acp = createAcpAgent({ service: new Client({ url: await way(service.url) }), version: '1', signal: gone.signal })
  const connection = app.connect(acp)
  t.teardown(() => {
    gone.abort()
    connection.close()
  })
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: hasForms ? { elicitation: { form: {} } } : {} })
  return {
    service, updates, permissions, forms, answers, agent,
    text: (kind = 'agent_message_chunk') => updates.filter(({ sessionUpdate }) => sessionUpdate === kind).map((update) => 'content' in update && !Array.isArray(update.content) && update.content?.type === 'text' ? update.content.text : '').join(''),
    newSession: async () => (await agent.request(methods.agent.session.new, { cwd: service.workspace, mcpServers: [] })).sessionId,
    prompt: async (sessionId, text) => (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })).stopReason
  }
}

t.test('an editor sees a turn as it happens, and every other client sees the same chat', async (t) => {
  const { service, agent, updates, text, newSession, prompt } = await openEditor(t)
  const sessionId = await newSession()
  t.equal(await prompt(sessionId, 'todo buy milk; call home'), 'end_turn')
  t.match(text(), /milk/)
  t.match(updates.filter(({ sessionUpdate }) => sessionUpdate === 'plan').at(-1), { entries: [{ content: 'buy milk', status: 'pending' }, { content: 'call home' }] })
  const calls = updates.filter((update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
  t.match(calls, [{ sessionUpdate: 'tool_call', name: 'todo', kind: 'think' }, { sessionUpdate: 'tool_call_update', status: 'completed' }])
  t.equal(new Set(calls.map(({ toolCallId }) => toolCallId)).size, 1)
  t.equal((await service.session(sessionId)).messages.length, 4)

  const { sessions } = await agent.request(methods.agent.session.list, { cwd: service.workspace })
  t.match(sessions, [{ sessionId, cwd: service.workspace }])
  t.same((await agent.request(methods.agent.session.list, { cwd: '/elsewhere' })).sessions, [])
})

t.test('what the agent wants to do is shown and allowed in the editor', async (t) => {
  const { service, permissions, answers, newSession, prompt } = await openEditor(t)
  const sessionId = await newSession()
  const turn = prompt(sessionId, 'write a.txt: hello')
  await eventually('the permission', () => permissions.length > 0)
  t.match(permissions[0], { sessionId, toolCall: { kind: 'edit', locations: [{ path: join(service.workspace, 'a.txt') }] }, options: [{ optionId: 'once' }, { optionId: 'session' }, { optionId: 'always' }, { optionId: 'deny' }] })
  t.match(JSON.stringify(permissions[0]!.toolCall.content), /\+hello/)
  t.notOk(existsSync(join(service.workspace, 'a.txt')))
  answers.permission = 'once'
  t.equal(await turn, 'end_turn')
  t.ok(existsSync(join(service.workspace, 'a.txt')))
})

t.test('what is allowed in the editor was shown there to its end', async (t) => {
  const { service, permissions, answers, newSession, prompt } = await openEditor(t)
  const sessionId = await newSession()
  const shownOf = (at: number): string => JSON.stringify(permissions[at]?.toolCall.content)
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
  answers.permission = 'once'
  t.equal(await prompt(sessionId, `write a.txt: ${words(8_000)} the-tail`), 'end_turn')
  t.match(shownOf(0), /word4711 /)
  t.match(shownOf(0), /the-tail/)
  t.equal(readFileSync(join(service.workspace, 'a.txt'), 'utf8').includes('the-tail'), true)
})

t.test('what cannot be shown to its end is only denied in an editor', async (t) => {
  const { service, permissions, answers, newSession, prompt } = await openEditor(t, {}, { way: async (url) => await withoutTexts(t, url) })
  const sessionId = await newSession()
  answers.permission = 'deny'
  t.equal(await prompt(sessionId, `write a.txt: ${'some words '.repeat(8_000)}`), 'end_turn')
  t.same(permissions.map(({ options }) => options.map(({ optionId }) => optionId)), [['deny']])
  t.match(JSON.stringify(permissions[0]?.toolCall.content).slice(-300), /[\d,]+ characters of it are not shown here, so it can only be denied\. The app is at /)
  t.notOk(existsSync(join(service.workspace, 'a.txt')))
})

/** Starts a proxy to the service through which the full text of a card does not arrive. */
async function withoutTexts (t: TestLike, url: string): Promise<string> {
  return await serving(t, (incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/approval/text') === true) return outgoing.writeHead(502).end()
    const passed = request(new URL(incoming.url ?? '/', url), { method: incoming.method, headers: { ...incoming.headers, host: new URL(url).host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
}

t.test('what is answered in another client is taken away here', { long: true }, async (t) => {
  const { service, permissions, newSession, prompt, updates } = await openEditor(t)
  const sessionId = await newSession()
  const turn = prompt(sessionId, 'write a.txt: hello')
  await eventually('the permission', () => permissions.length > 0)
  await service.respond(sessionId, 'deny')
  t.equal(await turn, 'end_turn')
  t.notOk(existsSync(join(service.workspace, 'a.txt')))
  t.match(updates.filter((update) => update.sessionUpdate === 'tool_call_update').at(-1), { status: 'failed' })
})

t.test('questions come as a form, as buttons, or are sent to where they can be answered', { long: true }, async (t) => {
  const form = await openEditor(t)
  form.answers.form = 'green'
  const first = await form.newSession()
  t.equal(await form.prompt(first, 'ask me Which colour? red|green'), 'end_turn')
  t.match(form.forms, [{ mode: 'form', message: 'Which colour?', requestedSchema: { properties: { answer: { enum: ['red', 'green'] } } } }])
  t.match(form.text(), /green/)

  const plain = await openEditor(t, {}, { hasForms: false })
  const second = await plain.newSession()
  plain.answers.permission = '1'
  t.equal(await plain.prompt(second, 'ask me Which colour? red|green'), 'end_turn')
  t.match(plain.permissions, [{ options: [{ name: 'red' }, { name: 'green' }] }])
  const open = plain.prompt(second, 'ask me What is your name?')
  await eventually('the question', () => /What is your name/.test(plain.text()))
  await plain.service.post('/api/clarify/respond', { session_id: second, response: 'Ada' })
  t.equal(await open, 'end_turn')
})

t.test('a turn is stopped, a second one beside it is refused, and a session is opened again', async (t) => {
  const { service, agent, updates, text, newSession, prompt } = await openEditor(t, { demoWordsPerSecond: 20 })
  const sessionId = await newSession()
  const turn = prompt(sessionId, 'slow 4000')
  await eventually('the answer', () => text() !== '')
  await t.rejects(prompt(sessionId, 'help'), /./, 'one at a time')
  await agent.notify(methods.agent.session.cancel, { sessionId })
  t.equal(await turn, 'cancelled')
  t.equal((await service.get(`/api/session/status?session_id=${sessionId}`)).body.agent_running, false)

  updates.length = 0
  const { configOptions } = await agent.request(methods.agent.session.load, { sessionId, cwd: service.workspace, mcpServers: [] })
  t.match(updates[0], { sessionUpdate: 'user_message_chunk', content: { text: 'slow 4000' } })
  t.match(configOptions, [{ id: 'model', type: 'select' }])
  await eventually('the commands', () => updates.some((update) => update.sessionUpdate === 'available_commands_update' && update.availableCommands.length > 0))
})

t.test('a cut line costs nothing of a turn', async (t) => {
  let cut = (): void => {}
  const editor = await openEditor(t, { demoWordsPerSecond: 40 }, {
    way: async (url) => {
      const way = await cuttable(t, url)
      cut = way.cut
      return way.url
    }
  })
  const { service, text, newSession, prompt } = editor
  const sessionId = await newSession()
  const turn = prompt(sessionId, 'slow 20')
  for (const part of [3, 8]) {
    await eventually(`${part} words`, () => text().split(' ').length > part)
    cut()
  }
  t.equal(await turn, 'end_turn')
  t.equal(text(), (await service.session(sessionId)).messages.at(-1).content, 'every word once')
})

t.test('an editor starts it as a program', async (t) => {
  const service = await start(t)
  const program = spawn(process.execPath, ['.build/acp/main.js'], { env: { PATH: process.env.PATH, SVC_URL: service.url }, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(program, 'exit')
  const text: string[] = []
  await client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params: { update } }) => { if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') text.push(update.content.text) })
    .connectWith(ndJsonStream(Writable.toWeb(program.stdin), Readable.toWeb(program.stdout) as ReadableStream<Uint8Array>), async (agent) => {
      t.match(await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} }), { protocolVersion: 1, agentInfo: { name: 'agent-web-service', version: /^\d/ } })
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: service.workspace, mcpServers: [] })
      t.match(await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'read this' }, { type: 'resource_link', name: 'a.txt', uri: 'file:///tmp/a%20b.txt' }] }), { stopReason: 'end_turn' })
      t.match((await service.session(sessionId)).messages[0].content, 'read this\n/tmp/a b.txt')
    })
  program.stdin.end()
  t.same((await ended)[0], 0)
  t.not(text.join(''), '')
  const wrong = spawn(process.execPath, ['.build/acp/main.js'], { env: { SVC_URL: 'nonsense' }, stdio: 'ignore' })
  t.same((await once(wrong, 'exit'))[0], 1)
  const asked = (argument: string) => spawnSync(process.execPath, ['.build/acp/main.js', argument], { encoding: 'utf8' })
  t.match(asked('--help'), { status: 0, stdout: /SVC_TOKEN/ }, 'a person who tries it out gets its help')
  t.match(asked('--bogus'), { status: 2, stdout: '', stderr: /no option "--bogus"/ })
})

t.test('an editor of version 2 has the same chats, cards, questions and states', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 200 })
  const program = spawn(process.execPath, ['.build/acp/main.js'], { env: { PATH: process.env.PATH, SVC_URL: service.url }, stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => program.kill())
  const updates: Array<Record<string, any>> = [] // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  const permissions: Array<Record<string, any>> = [] // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  const text = (): string => updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').map(({ content }) => content.text).join('')
  const stateIs = (state: string) => (): boolean => updates.findLast(({ sessionUpdate }) => sessionUpdate === 'state_update')?.['state'] === state
  await second.client({ name: 'editor' })
    .onNotification(second.methods.client.session.update, ({ params: { update } }) => { updates.push({ ...update }) })
    .onRequest(second.methods.client.session.requestPermission, ({ params }) => {
      permissions.push({ ...params })
      return { outcome: { outcome: 'selected', optionId: 'once' } }
    })
    .onRequest(second.methods.client.elicitation.create, () => ({ action: 'accept', content: { answer: 'green' } }))
    .connectWith(second.ndJsonStream(Writable.toWeb(program.stdin), Readable.toWeb(program.stdout) as ReadableStream<Uint8Array>), async (agent) => {
      const { session } = second.methods.agent
      t.match(await agent.request(second.methods.agent.initialize, { protocolVersion: 2, info: { name: 'editor', version: '1' }, capabilities: { elicitation: { form: {} } } }), { protocolVersion: 2, info: { name: 'agent-web-service', version: /^\d/ }, capabilities: { session: { prompt: { image: {} } } } })
      const { sessionId, configOptions } = await agent.request(session.new, { cwd: service.workspace })
      t.match(configOptions, [{ configId: 'model', type: 'select' }])
      const prompt = async (words: string): Promise<string> => {
        updates.length = 0
        const { messageId } = await agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text: words }] })
        return messageId
      }
      const messageId = await prompt('todo buy milk; call home')
      await eventually('the end', stateIs('idle'))
      t.match(updates.filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update').slice(0, 2), [{ sessionUpdate: 'user_message', messageId }, { sessionUpdate: 'state_update', state: 'running' }])
      t.match(updates.at(-1), { state: 'idle', stopReason: 'end_turn' })
      t.match(updates.filter(({ sessionUpdate }) => sessionUpdate === 'plan_update').at(-1)?.['plan'], { type: 'items', entries: [{ content: 'buy milk' }, { content: 'call home' }] })
      t.same(updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call' || sessionUpdate === 'plan'), [], 'nothing of version 1')
      t.equal(new Set(updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').map((update) => update['messageId'])).size > 0, true)

      await prompt('write a.txt: hello')
      await eventually('the end', stateIs('idle'))
      t.match(permissions, [{ title: /./, subject: { type: 'tool_call', toolCall: { kind: 'edit' } }, options: [{ optionId: 'once' }, { optionId: 'session' }, { optionId: 'always' }, { optionId: 'deny' }] }])
      t.ok(existsSync(join(service.workspace, 'a.txt')))
      t.ok(updates.some(({ state }) => state === 'requires_action'))

      await prompt('ask me Which colour? red|green')
      await eventually('the end', stateIs('idle'))
      t.match(text(), /green/)

      await prompt('slow 4000')
      await eventually('the answer', () => text() !== '')
      await t.rejects(agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text: 'help' }] }), /./, 'one at a time')
      await agent.notify(session.cancel, { sessionId })
      await eventually('the end', stateIs('idle'))
      t.match(updates.at(-1), { stopReason: 'cancelled' })

      updates.length = 0
      await agent.request(session.resume, { sessionId, cwd: service.workspace, replayFrom: { type: 'start' } })
      t.match(updates[0], { sessionUpdate: 'user_message_chunk', content: { text: 'todo buy milk; call home' } })
      await eventually('the state', stateIs('idle'))
      t.match((await agent.request(session.list, { cwd: service.workspace })).sessions, [{ sessionId }])
      await agent.request(session.close, { sessionId })
      await t.rejects(agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text: 'help' }] }), /not opened here/)
      const withServers = await agent.request(session.new, { cwd: service.workspace, mcpServers: [{ type: 'http', name: 'weather', url: 'http://127.0.0.1:1' }] })
      for (const isFirst of [true, false]) {
        updates.length = 0
        await agent.request(session.prompt, { sessionId: withServers.sessionId, prompt: [{ type: 'text', text: 'help' }] })
        await eventually('the end', stateIs('idle'))
        t.equal(text().includes('These MCP servers of your editor are not used: weather.'), isFirst, 'said once')
      }

      // Begun elsewhere, and still at work.
      updates.length = 0
      const { session_id: other } = (await service.post('/api/session/new', {})).body.session
      await service.send(other, 'slow 300')
      await agent.request(session.resume, { sessionId: other, cwd: service.workspace })
      t.match(await eventually('a state', () => updates.find(({ sessionUpdate }) => sessionUpdate === 'state_update')), { state: 'running' }, 'a turn that runs is not called idle')
      await eventually('its end', stateIs('idle'))
      t.match(updates.at(-1), { stopReason: 'end_turn' })
      t.equal(text(), (await service.session(other)).messages.at(-1).content, 'and is told of')
      await service.send(other, 'slow 4000')
      await agent.request(session.resume, { sessionId: other, cwd: service.workspace })
      await agent.request(session.close, { sessionId: other })
      t.not((await service.session(other)).active_stream_id, null, 'closing it stops no turn of another client')
    })
})

t.test('what goes wrong is said in words', async (t) => {
  const { service, agent, prompt } = await openEditor(t)
  await t.rejects(agent.request(methods.agent.session.new, { cwd: '/no/such/folder', mcpServers: [] }), /folder/i)
  await t.rejects(prompt('nobody', 'help'), /not opened here/)
  await t.rejects(agent.request(methods.agent.session.load, { sessionId: 'nobody', cwd: service.workspace, mcpServers: [] }), /Session not found/)
  await t.rejects(agent.request(methods.agent.session.setConfigOption, { sessionId: 'nobody', configId: 'mood', value: 'good' }), /no such option/)
  await service.stop()
  await t.rejects(agent.request(methods.agent.session.list, {}), /cannot be reached/)
})

t.test('behind a password it says how to get in', async (t) => {
  const { newSession } = await openEditor(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  await t.rejects(newSession(), /SVC_TOKEN/)
})

t.test('a tool of any name has a kind that editors know', (t) => {
  const kindOf = (name: string): unknown => callOf({ name, tool_call_id: '1', preview: '', args: {} } as Parameters<typeof callOf>[0], '/').kind
  t.same(['terminal', 'unheard_of', 'constructor', '__proto__', 'toString'].map(kindOf), ['execute', 'other', 'other', 'other', 'other'])
})
