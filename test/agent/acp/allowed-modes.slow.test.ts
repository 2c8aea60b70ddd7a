import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { parse } from 'yaml'
import { scripted, startAgent, writeConfig, type AgentService } from '../../support/acp/agents.js'

const agentOf = async (service: AgentService, id: string) => (await service.get('/api/agents')).body.agents.find((agent: { id: string }) => agent.id === id)
const allow = async (service: AgentService, body: object) => await service.post('/api/agents/modes', body)
const configOf = (service: AgentService): string => readFileSync(join(service.folder, 'home', 'config.yaml'), 'utf8')

t.test('an agent that nobody knows works in what a person has allowed it, and no longer when that is taken back', async (t) => {
  const service = await startAgent(t)
  const unknown = { ...scripted(), allow_unasked_modes: undefined }
  writeConfig(service.folder, { agent: { type: 'acp', ...unknown }, agents: { claude: { ...unknown, name: 'Second' } } })
  t.match(await agentOf(service, 'agent'), { display_name: 'Scripted', known: false, reached: false, any_mode: false, modes: [], problem: /Settings, Agents/ })
  t.match((await service.get('/api/providers')).body.providers.find(({ id }: { id: string }) => id === 'agent'), { auth_error: /not known to ask before it acts/ }, 'said where models are set up')
  const refused = await service.turn(await service.newSession(), 'say hello')
  t.match(refused.last, { event: 'apperror', data: { type: 'mode_not_allowed', message: /not known to ask/, hint: /settings of the app \(Agents\)/ } })
  const [row] = (await service.get(`/api/session?session_id=${refused.last.data.session.session_id}`)).body.session.messages.slice(-1)
  t.match(row.content, /Not allowed/, 'the stored message says which kind of error it was')

  t.match(await allow(service, { id: 'agent', modes: ['yolo'] }), { status: 400, body: { error: /has no mode "yolo"/ } }, 'nobody allows what was never shown')
  t.match(await service.post('/api/providers/test', { provider: 'agent' }), { body: { ok: true } })
  t.match(await agentOf(service, 'agent'), { reached: true, modes: [{ id: 'ask', label: 'Ask', asks: false, allowed: false }, { id: 'plan' }, { id: 'yolo' }] }, 'all of them, the one that it is in as well')
  t.match(await allow(service, { id: 'agent', modes: ['plan', 'plan'] }), { status: 200, body: { ok: true, agent: { problem: null, modes: [{ allowed: false }, { id: 'plan', allowed: true }, { allowed: false }] } } })
  t.match((await service.turn(await service.newSession(), 'options')).text, /mode plan/)
  t.match(await allow(service, { id: 'agent', any_mode: true }), { body: { agent: { any_mode: true, problem: null } } })
  t.match((await service.turn(await service.newSession(), 'options')).text, /mode (?:ask|plan)/)
  t.match(await allow(service, { id: 'agent' }), { body: { agent: { any_mode: false, problem: /Settings, Agents/ } } })
  t.notMatch(configOf(service), /allow_unasked_modes/)
  t.match((await service.turn(await service.newSession(), 'say hello')).last.data, { type: 'mode_not_allowed' })

  t.match(await allow(service, { id: 'claude-agent', any_mode: true }), { status: 200 }, 'one whose name in the file is not its id')
  t.match(parse(configOf(service)), { agents: { claude: { allow_unasked_modes: true } }, agent: { allow_unasked_modes: undefined } })
  for (const id of ['nobody', '__proto__', 'openai', 'offline-demo']) t.match(await allow(service, { id, any_mode: true }), { status: 404 }, id)
  for (const body of [{}, { id: 'agent', modes: 'yolo' }, { id: 'agent', modes: [''] }, { id: 'agent', any_mode: 'yes' }]) t.match(await allow(service, body), { status: 400 }, JSON.stringify(body))
})

t.test('an agent that is known asks in its own modes, and those are not written down', async (t) => {
  const service = await startAgent(t)
  writeConfig(service.folder, { agents: { 'gemini-cli': { ...scripted({ AGENT_MODES: 'default,plan,yolo' }), allow_unasked_modes: ['gone'] } } })
  await service.post('/api/providers/test', { provider: 'gemini-cli' })
  const modes = [{ id: 'default', asks: true, allowed: false }, { id: 'plan', asks: true }, { id: 'yolo', asks: false, allowed: false }, { id: 'gone', asks: false, allowed: true }]
  t.match(await agentOf(service, 'gemini-cli'), { known: true, problem: null, modes })
  t.match((await allow(service, { id: 'gemini-cli', modes: ['default', 'yolo'] })).body.agent.modes.map(({ allowed }: { allowed: boolean }) => allowed), [false, false, true])
  t.same(parse(configOf(service)).agents['gemini-cli'].allow_unasked_modes, ['yolo'])
})
