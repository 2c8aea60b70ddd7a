import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startModelServer } from '../../support/acp/model-server.js'
import { startAgent, writeConfig } from '../../support/acp/agents.js'

// Real agents, from npm, against a model on this machine. It takes hundreds of megabytes and a minute, so it is done on request:
// AGENTS_FROM_NPM=/tmp/agents npm run test:only -- test/agent/acp/real-agents.slow.test.ts
const scratch = process.env.AGENTS_FROM_NPM
const skip = scratch === undefined ? 'set AGENTS_FROM_NPM to a folder to install real agents into' : false

function install (name: string, version: string): string {
  mkdirSync(scratch!, { recursive: true })
  if (!existsSync(join(scratch!, 'node_modules', name))) execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', scratch!, `${name}@${version}`], { stdio: 'ignore' })
  return join(scratch!, 'node_modules', '.bin')
}

async function turnWithPermission (t: Test, agent: string, entry: Record<string, unknown>, model: string, prepare: (folder: string, url: string) => void): Promise<void> {
  const command = `touch made-by-${agent}`
  const endpoint = await startModelServer(command)
  t.teardown(endpoint.close)
  const folder = mkdtempSync(join(tmpdir(), 'real-agent-'))
  const service = await startAgent(t, {}, { folder })
  prepare(folder, endpoint.url)
  writeConfig(folder, { agents: { [agent]: { ...entry, env: { ...entry['env'] as Record<string, string>, ...(agent === 'gemini-cli' ? { GOOGLE_GEMINI_BASE_URL: endpoint.url } : {}) } } }, model: { provider: agent } })
  const tested = await service.post('/api/providers/test', { provider: agent })
  t.match(tested.body, { ok: true }, tested.body.message)
  t.comment(`${agent}: ${String(tested.body.message)} ${String(tested.body.took_ms)} ms`)
  const session = await service.newSession()
  const turn = service.turn(session, `Please run: ${command}`, { model: `@${agent}:${model}` })
  const card = await Promise.race([service.approve(session, 'once'), turn.then(({ last, frames }) => { throw new Error(`no card: ${JSON.stringify(frames.slice(0, -1).map(({ event, data }) => [event, data]).slice(-6)).slice(0, 3000)} ${JSON.stringify(last.data.message ?? '')} ${endpoint.asked.join(', ')}`) })]) as Record<string, unknown>
  t.match(card, { pattern_key: 'cmd:touch' }, JSON.stringify(card).slice(0, 600))
  const { text, frames, last } = await turn
  t.match(text, /It is done\./, JSON.stringify(last.data).slice(0, 400))
  t.ok(existsSync(join(service.workspace, `made-by-${agent}`)), 'the command was run')
  t.same(frames.filter(({ event }) => event === 'tool' || event === 'tool_complete').map(({ event }) => event), ['tool', 'tool_complete'])
  t.comment(`${agent}: ${JSON.stringify(frames.find(({ event }) => event === 'done')?.data.usage)}`)
}

t.test('Codex', { skip }, async (t) => {
  const bin = install('@zed-industries/codex-acp', '0.16.0')
  await turnWithPermission(t, 'codex', { command: [join(bin, 'codex-acp')], env: { OPENAI_API_KEY: 'scripted-key' } }, 'default', (folder, url) => {
    mkdirSync(join(folder, '.codex'))
    writeFileSync(join(folder, '.codex', 'config.toml'), `model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`)
  })
})

t.test('Gemini CLI', { skip }, async (t) => {
  const bin = install('@google/gemini-cli', '0.61.0')
  await turnWithPermission(t, 'gemini-cli', { command: [join(bin, 'gemini'), '--acp'], env: { GEMINI_API_KEY: 'scripted-key' } }, 'gemini-2.5-pro', () => {})
})
