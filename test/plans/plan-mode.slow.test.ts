import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { scripted, startAgent, writeConfig } from '../support/acp/agents.js'
import { said, startChat } from '../support/chat.js'
import { modelEndpoint, withScripted, type ModelRequest } from '../support/model-endpoint.js'
import { needsSandbox } from '../support/needs-sandbox.js'
import { spawnServer } from '../support/server.js'

const document = '# Plan\n\n- [ ] First\n- [ ] Second\n'

t.test('a command in plan mode finds its folder read-only in the sandbox, hooks that are not there included', needsSandbox, async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_SANDBOX: '1' } })
  const model = service.model(
    [{ tool: 'terminal', args: { command: 'git init -q && rm -r .git/hooks && echo inside > kept' } }], [{ text: 'Done.' }],
    [{ tool: 'terminal', args: { command: 'for place in . .git .git/refs; do test -w $place && echo writable || echo sealed; done; cat kept; git status --short' } }], [{ text: 'Done.' }],
    [{ tool: 'terminal', args: { command: 'echo again >> kept && cat kept' } }], [{ text: 'Done.' }]
  )
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  for (const mode of ['default', 'plan', 'default']) await (await service.watch(await service.send(sessionId, 'Look', { mode }))).ended
  const requests = service.requests(model)
  t.match(said(requests[3], 'tool').at(-1), /^sealed\nsealed\nsealed\ninside\n\?\? kept\n/)
  t.match(said(requests[5], 'tool').at(-1), /inside\nagain/, 'and may write it again afterwards')
})

t.test('an agent of another maker is in its own plan mode, and what it asks for is refused', async (t) => {
  const service = await startAgent(t)
  const { workspace } = service
  writeFileSync(join(workspace, 'kept.txt'), 'kept')
  const sessionId = await service.newSession()
  const turn = async (message: string, more: Record<string, unknown> = { mode: 'plan' }) => await service.turn(sessionId, message, more)
  t.match((await turn('options', {})).text, /mode ask/)
  const options = await turn('options')
  t.match(options.text, /mode plan/)
  t.match(options.frames.find(({ event, data }) => event === 'warning' && data.type === 'agent_plan_unheld')?.data.message, /runs outside the sandbox.*cannot be prevented/s)
  for (const [doing, expected] of [
    ['run touch made', /Run: no/], ['run cat kept.txt > made', /Run: no/], [`edit ${join(workspace, 'made')} := x`, /Not written/], [`write ${join(workspace, 'made')} := x`, /Refused: .*Plan mode is on/s],
    ['terminal touch made', /Refused: .*not known to only read/s], [`read ${join(workspace, 'kept.txt')}`, /Read: kept/]
  ] as const) {
    t.match((await turn(doing)).text, expected, doing)
  }
  t.notOk(existsSync(join(workspace, 'made')))
  t.match((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending, null)
  const strayed = await turn("script update(id, { sessionUpdate: 'current_mode_update', currentModeId: 'ask' }); await pause(200)")
  t.match(strayed.last.data, { message: /"ask"/ }, 'one that leaves the mode by itself is ended')
})

t.test('the plan of an agent of another maker is what it wants to leave plan mode with, or what it answers', async (t) => {
  const service = await startAgent(t)
  const sessionId = await service.newSession()
  const plan = async () => (await service.get(`/api/session/plan?session_id=${sessionId}`)).body.plan
  const leaving = `script const answer = await ask('session/request_permission', { sessionId: id, toolCall: { toolCallId: 'leave', title: 'Ready to code?', kind: 'switch_mode', rawInput: { plan: ${JSON.stringify(document)} } }, options: [{ optionId: 'acceptEdits', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }] }); chunk(outcomeOf(answer))`
  t.match((await service.turn(sessionId, leaving, { mode: 'plan' })).text, /^no$/)
  t.match(await plan(), { version: 1, text: document, author: 'agent', steps: [{ content: 'First' }, { content: 'Second' }] })
  await service.turn(sessionId, "script chunk('# Better\\n\\n1. One\\n2. Two\\n3. Three')", {})
  t.match(await plan(), { version: 2, title: 'Better', steps: [{ content: 'One' }, {}, {}] })
  await service.turn(sessionId, 'say only words', {})
  t.match(await plan(), { version: 2 })
  const { frames } = await service.turn(sessionId, leaving.replace(JSON.stringify(document), JSON.stringify('# Only prose')), {})
  t.match(frames.find(({ event, data }) => event === 'warning' && data.type === 'plan')?.data, {
    message: /^The plan of Scripted has no steps/, reason: { code: 'agent_plan_without_steps', params: { agent: 'Scripted' } }
  })
  t.match(await service.post('/api/session/plan', { session_id: sessionId, text: document, version: 3 }), { status: 200 })
  t.match(await service.app.plans.save(sessionId, { text: document, version: 3 }), { isError: true, why: 'edited' })
  const { body } = await service.post('/api/session/plan/go', { session_id: sessionId, version: 4 })
  t.match(body, { stream_id: String })
})

t.test('in its sandbox an agent of another maker finds the folder read-only in plan mode, whatever it does unasked', needsSandbox, async (t) => {
  const service = await startAgent(t, {}, { env: { SVC_WEBUI_SANDBOX: '1' } })
  const sessionId = await service.newSession()
  const trying = (name: string): string =>
    `script const fs = require('node:fs'); let came = 'written'; try { fs.writeFileSync(${JSON.stringify(join(service.workspace, name))}, 'x') } catch (error) { came = error.code } chunk(came)`
  t.match((await service.turn(sessionId, trying('before'))).text, 'written')
  const planned = await service.turn(sessionId, trying('meanwhile'), { mode: 'plan' })
  t.match(planned.text, 'EROFS')
  t.notOk(planned.frames.some(({ event, data }) => event === 'warning' && data.type === 'agent_plan_unheld'))
  t.match((await service.turn(sessionId, trying('after'), { mode: 'default' })).text, 'written')
  t.same(['before', 'meanwhile', 'after'].map((name) => existsSync(join(service.workspace, name))), [true, false, true])
})

t.test('an agent that asks nobody, has no mode to read in and no sandbox, is not let into plan mode', async (t) => {
  const service = await startAgent(t)
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_MODES: 'yolo' }), allow_unasked_modes: true } })
  const { last } = await service.turn(await service.newSession(), 'say hello', { mode: 'plan' })
  t.match(last.data, { message: /plan mode cannot hold it/, hint: /sandbox/ })
})

t.test('a turn that was killed in plan mode goes on in it, though the mode was switched off meanwhile; so does one that outlives the service', { long: true }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'planned-'))
  const endpoint = await modelEndpoint(t, { models: withScripted })
  const asked: ModelRequest[] = []
  endpoint.script((request) => {
    if (!request.stream) return [{ text: 'Title' }]
    const results = said(request, 'tool')
    asked.push(request)
    if (results.length === 0) return [{ tool: 'write_plan', args: { plan: document } }]
    if (results.length === 1) return [{ tool: 'clarify', args: { question: 'Which?' } }]
    return results.length === 2 ? [{ tool: 'terminal', args: { command: 'touch sneaked' } }] : [{ text: 'There.' }]
  })
  const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  const first = await spawnServer(t, folder, env)
  const { session: { session_id: id } } = await first.json('/api/session/new', { model: 'scripted-x', model_provider: 'openai' })
  for (const kill of ['host and service', 'service'] as const) {
    await t.test(kill, { long: kill === 'service' }, async (t) => {
      asked.length = 0
      const server = kill === 'service' ? await spawnServer(t, folder, env) : first
      if (kill === 'service') await server.json('/api/session/truncate', { session_id: id, keep_count: 0 })
      const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: id, message: 'Plan it', mode: 'plan' })
      await server.pending(id, 'clarify')
      if (kill === 'service') await server.end('SIGKILL')
      else await server.crash()
      const again = await spawnServer(t, folder, env)
      t.match((await again.json(`/api/session/plan?session_id=${id as string}`)).plan, { text: document }, 'what was written is kept')
      t.match(await again.json('/api/session/update', { session_id: id, mode: 'default' }), { session: { session_id: id } })
      const pending = await again.pending(id, 'clarify')
      await again.json('/api/clarify/respond', { session_id: id, clarify_id: pending.clarify_id, response: 'This' })
      const reader = await again.events(`/api/chat/stream?stream_id=${streamId as string}`)
      await reader.ended
      t.match(said(asked.at(-1), 'tool').at(-1), /Refused: the command is not known to only read/, kill)
      t.notOk(existsSync(join(folder, 'workspace', 'sneaked')))
      await again.crash()
    })
  }
})
