import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { startModelServer, type Wanted } from '../../support/acp/model-server.js'
import { startAgent, writeConfig, type AgentService } from '../../support/acp/agents.js'
import { installed, realAgents, type RealAgent } from '../../support/acp/real-agents.js'

// Real agents from npm, with a model on this machine. This takes a gigabyte and some minutes, so it only runs on request:
// AGENTS_FROM_NPM=/tmp/agents npm run test:only -- test/agent/acp/real-agents.slow.test.ts
const scratch = process.env.AGENTS_FROM_NPM
const only = process.env.AGENT_ONLY
const skip = scratch === undefined ? 'set AGENTS_FROM_NPM to a folder to install real agents into' : false

async function startReal (t: Test, agent: RealAgent, wanted: (outside: string) => Wanted, isConfined: boolean): Promise<{ service: AgentService, endpoint: Awaited<ReturnType<typeof startModelServer>>, outside: string }> {
  const { id, env, prepare, args = [], hasOwnModel = false } = agent
  // A home and a place outside that no agent's sandbox leaves writable.
  const base = process.env.HOME ?? tmpdir()
  const folder = mkdtempSync(join(base, '.real-agent-'))
  const outside = mkdtempSync(join(base, '.real-agent-outside-'))
  t.teardown(() => { for (const made of [folder, outside]) execFileSync('rm', ['-rf', made]) })
  const endpoint = await startModelServer(wanted(outside))
  t.teardown(endpoint.close)
  // Agents start slowly on a busy machine.
  const service = await startAgent(t, {}, { folder, env: { SVC_WEBUI_SANDBOX: isConfined ? '1' : '0' }, agentTiming: { helloMs: 120_000 } })
  writeFileSync(join(folder, 'home', '.env'), 'PROFILE_ONLY=of-the-profile-alone\n')
  const home = join(folder, 'agent-home')
  mkdirSync(home)
  prepare?.(home, endpoint.url)
  writeConfig(folder, { agents: { [id]: { command: [...installed(agent, scratch!), ...args], env: { HOME: home, ...env(endpoint.url, '') }, ...hasOwnModel && { network: ['public', new URL(endpoint.url).host] } } }, model: { provider: id } })
  return { service, endpoint, outside }
}

async function turnWithCard (t: Test, agent: RealAgent, wanted: (outside: string) => Wanted, made: (outside: string, workspace: string) => string, isConfined = false): Promise<void> {
  const { id, unasked } = agent
  const { service, endpoint, outside } = await startReal(t, agent, wanted, isConfined)
  const session = await service.newSession()
  const turn = service.turn(session, 'Please do it.', { model: `@${id}:default` })
  const isAsked = service.pending(session)
  const card = await Promise.race([isAsked, turn.then(({ last, frames }) => { throw new Error(`no card: ${JSON.stringify(frames.slice(0, -1).map(({ event, data }) => [event, data]).slice(-6)).slice(0, 3000)} ${JSON.stringify(last.data.message ?? '')} ${endpoint.asked.join(', ')}`) })]) as Record<string, unknown>
  t.comment(JSON.stringify(card).slice(0, 400))
  const file = made(outside, service.workspace)
  t.notOk(existsSync(file), 'nothing was done before somebody said yes')
  // Some ask for the folder first, and then for the file.
  const over = new AbortController()
  const answering = (async () => {
    while (!over.signal.aborted) {
      const { pending } = (await service.get(`/api/approval/pending?session_id=${session}`)).body
      if (pending !== null) await service.respond(session, 'once', pending.approval_id)
      await new Promise((resolve) => { setTimeout(resolve, 200) })
    }
  })()
  const { text, frames, last } = await turn.finally(() => over.abort())
  await answering
  t.match(text, /It is done\./, JSON.stringify(last.data).slice(0, 400))
  t.ok(existsSync(file), 'and then it was')
  t.notMatch(readFileSync(file, 'utf8'), /of-the-profile-alone/, 'it has no keys of the profile')
  t.ok(frames.some(({ event }) => event === 'tool_complete'))
  const offered = JSON.stringify((await service.get('/api/models')).body)
  for (const mode of unasked) {
    t.notMatch(offered, `;mode=${mode}"`, `${mode} is not offered`)
    t.match((await service.turn(session, 'Please do it.', { model: `@${id}:default;mode=${mode}` })).last.data.message, /not known to ask/)
  }
}

for (const agent of realAgents.filter(({ isTested }) => isTested)) {
  t.test(`${agent.name}: a command`, { skip: skip || (only !== undefined && only !== agent.id) }, async (t) => {
    await turnWithCard(t, agent, () => ({ command: 'env > made-by-agent' }), (_, workspace) => join(workspace, 'made-by-agent'))
  })
  t.test(`${agent.name}: a command in the sandbox`, { skip: skip || (only !== undefined && only !== agent.id) }, async (t) => {
    await turnWithCard(t, agent, () => ({ command: 'env > made-by-agent' }), (_, workspace) => join(workspace, 'made-by-agent'), true)
  })
  t.test(`${agent.name}: a write outside of its folder`, { skip: skip || (only !== undefined && only !== agent.id) }, async (t) => {
    await turnWithCard(t, agent, (outside) => ({ path: join(outside, 'planted'), text: 'planted' }), (outside) => join(outside, 'planted'))
  })
}

t.test('Codex: a command in its own sandbox, which it cannot make in ours', { skip: skip || (only !== undefined && only !== 'codex') }, async (t) => {
  const [agent] = realAgents
  for (const isConfined of [false, true]) {
    const { service, endpoint } = await startReal(t, agent!, () => ({ command: 'echo made > made-by-agent', isPlain: true }), isConfined)
    const { text, frames } = await service.turn(await service.newSession(), 'Please do it.', { model: '@codex:default' })
    t.match(text, /It is done\./)
    t.notOk(frames.some(({ event }) => event === 'approval'), 'nobody is asked')
    t.equal(existsSync(join(service.workspace, 'made-by-agent')), !isConfined)
    t.match(endpoint.told.at(-1), isConfined ? /exited with code 1[^]*bwrap: No permissions/ : /exited with code 0/)
  }
})
