import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { fieldsOf } from '../../services/ground/fields.js'
import { start, type TestLike, type TestService } from '../support/app.js'

const service = await start(t)

const version = '2026-07-28'
const able = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }
let lastId = 0

/** Sends a message as a client of the protocol does, with the client's capabilities. */
async function send (
  service: TestService, method: string, params: Record<string, unknown>, { can = able, token }: { can?: object, token?: string } = {}
): Promise<{ result: any, error: any }> { // eslint-disable-line @typescript-eslint/no-explicit-any -- what the protocol answers is what a test looks into
  const sent = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': version, 'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId'] ?? ''), ...token !== undefined && { authorization: `Bearer ${token}` }
    },
    body: JSON.stringify({
      jsonrpc: '2.0', id: ++lastId, method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'somebody', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': can
        }
      }
    })
  })
  const text = await sent.text()
  const { result, error } = fieldsOf(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text))
  return { result, error }
}

const begin = async (service: TestService, message: string, more: object = {}, who: { can?: object, token?: string } = {}) =>
  (await send(service, 'tools/call', { name: 'start_turn', arguments: { message, ...more } }, who)).result

/** Polls until a task has the given status. */
async function until (service: TestService, taskId: string, status: string, who: { can?: object, token?: string } = {}) {
  for (;;) {
    const { result, error } = await send(service, 'tasks/get', { taskId }, who)
    if (error !== undefined) throw new Error(JSON.stringify(error))
    if (result.status === status) return result
    if (result.status !== 'working') throw new Error(`${result.status} instead of ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function connect (t: TestLike, service: TestService): Promise<Client> {
  const client = new Client({ name: 'somebody', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)))
  t.teardown(async () => await client.close())
  return client
}

t.test('a client of the extension sees a turn through: it is asked, answers, and has the result', async (t) => {
  const client = await connect(t, service)
  t.same(client.getServerCapabilities()?.extensions, { 'io.modelcontextprotocol/tasks': {} })
  const session = createTaskSessionFromClient(client, {
    endpointId: 'service',
    v2RequestFraming: { protocolVersion: version, clientInfo: { name: 'somebody', version: '1' }, clientCapabilities: able },
    rawDispatch: async (request) => {
      const { method, params } = request as { method: string, params: Record<string, unknown> }
      const { result, error } = await send(service, method, params)
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
    },
    onInputRequest: async (request) => {
      asked.push(request.params)
      return { action: 'accept', content: { choice: 'once' } } as never
    }
  })
  const asked: unknown[] = []
  const execution = await session.callTool('start_turn', { message: 'write a.txt: hello' })
  t.equal(execution.kind, 'task')
  const { outcome } = await execution.settle()
  t.match(resultFromTaskOutcome(outcome), { structuredContent: { state: 'ended', ended: 'completed', answer: /a\.txt/ } })
  t.match(asked, [{
    mode: 'form', message: /write_file[^]*\+hello/, requestedSchema: { properties: { choice: { oneOf: [{ const: 'once' }, { const: 'session' }, { const: 'deny' }] } } }
  }])
  t.ok(existsSync(join(service.workspace, 'a.txt')))
  await session.close()
})

t.test('a question is answered by choice or in words, one that is put off waits on, and what does not fit does nothing', async (t) => {
  const { taskId, resultType, structuredContent: { session_id: sessionId } } = await begin(service, 'ask me Which colour? red|green')
  t.equal(resultType, 'task')
  const { inputRequests } = await until(service, taskId, 'input_required')
  const [key = ''] = Object.keys(inputRequests)
  t.match(inputRequests[key].params, { message: /Which colour/, requestedSchema: { properties: { choice: { oneOf: [{ const: 'red' }, { const: 'green' }] }, response: { type: 'string' } }, required: [] } })
  const answer = async (response: unknown) => await send(service, 'tasks/update', { taskId, inputResponses: { [key]: response } })
  for (const put of [{ action: 'cancel' }, { action: 'decline' }]) t.match(await answer(put), { result: { resultType: 'complete' } })
  for (const wrong of [{ action: 'accept' }, { action: 'accept', content: { choice: 5 } }, { action: 'accept', content: { response: ' ' } }]) t.match(await answer(wrong), { error: { code: -32602 } })
  t.same((await until(service, taskId, 'input_required')).inputRequests, inputRequests)
  t.match(await answer({ action: 'accept', content: { choice: 'green' } }), { result: { resultType: 'complete' } })
  t.match((await until(service, taskId, 'completed')).result.structuredContent, { answer: /green/ })
  t.match(await answer({ action: 'accept', content: { choice: 'red' } }), { result: { resultType: 'complete' } }, 'an answer that comes too late is passed over')

  const next = await begin(service, 'help', { session_id: sessionId })
  await until(service, next.taskId, 'completed')
  t.match((await until(service, taskId, 'completed')).result.structuredContent, { turn_id: taskId, answer: /green/ }, 'each task has the answer of its own turn')
})

t.test('an approval that is declined is denied; who cannot answer is told that a person is waited for', async (t) => {
  const { taskId } = await begin(service, 'write b.txt: hello')
  const { inputRequests } = await until(service, taskId, 'input_required')
  const { token } = (await service.post('/api/auth/tokens/create', { name: 'talks', scope: 'chat' })).body
  for (const who of [{ token }, { can: { extensions: able.extensions } }]) {
    t.match((await send(service, 'tasks/get', { taskId }, who)).result, { status: 'working', statusMessage: /person/, inputRequests: undefined })
  }
  t.match(await send(service, 'tasks/update', { taskId, inputResponses: {} }, { token }), { error: { code: -32601 } })
  const [key = ''] = Object.keys(inputRequests)
  t.match(await send(service, 'tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { choice: 'always' } } } }), { error: { code: -32602 } })
  await send(service, 'tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } })
  await until(service, taskId, 'completed')
  t.notOk(existsSync(join(service.workspace, 'b.txt')))
})

t.test('a task is stopped, and nobody else’s, unknown or unasked ones are refused', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 20 })
  const { taskId } = await begin(service, 'slow 4000')
  t.match(await send(service, 'tasks/get', { taskId }, { can: {} }), { error: { code: -32021, data: { requiredCapabilities: { extensions: able.extensions } } } })
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
    for (const unknown of ['nobody', '0'.repeat(32)]) t.match(await send(service, method, { taskId: unknown, inputResponses: {} }), { error: { code: -32602, message: 'Task not found' } }, method)
    t.match(await send(service, method, { taskId: 5 }), { error: { code: -32602 } }, method)
  }
  t.match(await send(service, 'tasks/cancel', { taskId }), { result: { resultType: 'complete' } })
  t.match(await until(service, taskId, 'cancelled'), { resultType: 'complete', ttlMs: null })
  t.match(await send(service, 'tasks/cancel', { taskId }), { result: {} }, 'what is over cannot be stopped, and that is no error')
})

t.test('without the extension a call waits for its answer, as before', async (t) => {
  const result = await begin(service, 'help', {}, { can: {} })
  t.match(result, { resultType: 'complete', structuredContent: { state: 'ended' } })
})
