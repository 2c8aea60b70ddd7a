import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import {
  agentModelOf, agentOf, agentPresets, agentProblem, configuredAgents, foundAgents, installableAgents, presetIds, registeredAgents, registryDates, resolveProviders
} from '../../services/providers/index.js'
import { checkConfig } from '../../services/ground/home/config-check.js'
import { temporaryFolder } from '../support/folder.js'

t.test('agents of a config.yaml, and those that are installed', (t) => {
  const bin = join(temporaryFolder(t, 'bin'), 'bin')
  mkdirSync(bin)
  for (const name of ['gemini', 'claude-agent-acp']) {
    writeFileSync(join(bin, name), '')
    chmodSync(join(bin, name), 0o755)
  }
  const config = {
    agent: { type: 'acp', command: ['/opt/own', '--acp'], name: 'Ours' },
    agents: { codex: {}, claude: { command: 'some-agent' }, 'gemini-cli': { enabled: false }, nothing: {}, 'bad name': { command: 'x' } }
  }
  t.same(configuredAgents(config, bin).map(({ id, displayName, preset, command }) => [id, displayName, preset, command]), [
    ['agent', 'Ours', null, ['/opt/own', '--acp']], ['codex', 'Codex', 'codex', ['codex-acp']], ['claude-agent', 'claude-agent', null, ['some-agent']]
  ])
  t.same(foundAgents(config, bin).map(({ id, command }) => [id, command]), [['claude-code', ['claude-agent-acp']]], 'what is switched off is not found')
  t.match(agentProblem(agentOf(config, 'codex', bin)!, bin), /Codex: the program codex-acp is not there\. Install it with: npm/)
  t.equal(agentProblem(agentOf(config, 'claude-code', bin)!, bin), null)
})

t.test('an agent that is only installed answers when it is chosen, and for nobody by itself', (t) => {
  const agents = foundAgents({}, undefined).concat({ id: 'goose', displayName: 'goose', preset: 'goose', command: ['goose', 'acp'], env: {}, unaskedModes: [], isolation: 'auto', network: 'none', writable: [], reason: 'installed' })
  const ids = (config: Record<string, unknown>, env = {}): string[] => resolveProviders({ env, config, local: [], agents }).map(({ id }) => id)
  t.same(ids({}), ['offline-demo', 'goose'])
  t.same(ids({}, { OPENAI_API_KEY: 'sk-12345678' }), ['openai', 'goose'])
  t.same(ids({ agent: { type: 'acp', preset: 'codex' }, model: { provider: 'anthropic' } }, { ANTHROPIC_API_KEY: 'sk-12345678' }), ['codex', 'anthropic', 'goose'])
  t.same(agentModelOf('gpt;mode=plan'), { model: 'gpt', mode: 'plan' })
  t.same(agentModelOf('default'), { model: null, mode: null })
})

t.test('what is wrong with an agent in config.yaml is told with its line', (t) => {
  const text = 'agent:\n  type: robot\nagents:\n  mine:\n    command: [a, 3]\n    env: none\n'
  const { problems } = checkConfig({ agent: { type: 'robot' }, agents: { mine: { command: ['a', 3], env: 'none' } } }, text)
  t.same(problems.map(({ path, line }) => [path, line]), [['agent.type', 2], ['agents.mine.command[1]', 5], ['agents.mine.env', 6]])
  t.match(problems[0]?.message, /must be one of loop, acp/)
})

t.test('what an agent reaches from its sandbox is said by a word, or place by place', (t) => {
  const networkOf = (network: unknown): unknown => {
    const { config } = checkConfig({ agents: { goose: { network } } }, '')
    return agentOf(config as Record<string, unknown>, 'goose', undefined)?.network
  }
  const [open, closed] = [{ isPublic: true, places: [] }, { isPublic: false, places: [] }]
  for (const [network, expected] of [
    [undefined, open], [true, open], ['public', open], [['public'], open], [false, 'none'], ['none', 'none'], ['all', 'all'], [[], closed],
    ['localhost:11434', { isPublic: false, places: ['localhost:11434'] }],
    [['public', 'Ollama.LAN.:11434', '[::1]:80', '0x7f.1:81', '[::ffff:10.0.0.1]:82'], { isPublic: true, places: ['ollama.lan:11434', '[::1]:80', '127.0.0.1:81', '10.0.0.1:82'] }],
    [['127.0.0.1', 'a:99999', 'http://a:1', 'user@b:1', 'a b:1', ':80', 7], closed]
  ] as const) t.same(networkOf(network), expected, JSON.stringify(network))
  const { problems } = checkConfig({ agents: { goose: { network: ['public', '127.0.0.1'] }, codex: { network: 'some' } } }, '')
  t.match(problems.map(({ path, message }) => [path, message]), [['agents.goose.network[1]', /must be public, all, none or a host with a port/], ['agents.codex.network', /must be true or false, or public/]])
})

t.test('the registry of agents names a line and a licence for each, and what is known here is in it or is installed otherwise', (t) => {
  const all = registeredAgents()
  for (const { id, licence, install, command, version } of all) {
    t.match(install, /^(?:npm install -g \S+@\d[\w.-]*|uv tool install \S+|cd "\$\(mktemp -d\)" && curl -fLO https:\/\/\S+ && (?:echo "[0-9a-f]{64} {2}\S+" \| sha256sum -c && )?mkdir -p \S+ ~\/\.local\/bin && (?:tar -xf|unzip -qo) \S+ -[Cd] \S+ && ln -sf \S+ ~\/\.local\/bin\/)$/, `${id}: a line that installs it`)
    t.notMatch(install, /@zed-industries/, `${id}: no package that its makers have given up`)
    t.ok(licence !== '' && version !== '' && command[0] !== '', id)
  }
  t.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const missing = presetIds.filter((preset) => !all.some((agent) => agent.preset === preset))
  t.same(missing, [], 'known here and not in the registry')
  for (const date of Object.values(registryDates())) t.match(date, /^20\d\d-\d\d-\d\d$/)
  t.ok(all.every(({ command: [program] }) => !program.includes('/')), 'what is installed is on the path')
  for (const { preset, install } of all) {
    // The preset's command names the same package, in any version.
    if (preset !== null && install.startsWith('npm')) t.match(install, new RegExp(/npm install -g (\S+)$/.exec(agentPresets[preset].install)![1]!), preset)
  }
  const left = installableAgents([{ id: 'mine', preset: 'codex', command: ['x'] }, { id: 'qwen-code', preset: null, command: ['y'] }], '')
  t.same(all.map(({ id }) => id).filter((id) => !left.some((one) => one.id === id)), ['codex-acp', 'qwen-code'], 'what is set up is not offered')
})
