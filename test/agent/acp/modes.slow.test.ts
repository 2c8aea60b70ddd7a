import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { agentPresets, mayWorkIn, presetIds } from '../../../services/providers/index.js'
import { modeRule, turnMode } from '../../../services/agent/acp/modes.js'
import { describedCall, onlyReads } from '../../../services/agent/acp/described-call.js'
import { type ToldCall } from '../../../services/agent/acp/calls.js'
import { scripted, startAgent, writeConfig } from '../../support/acp/agents.js'
import { tokenText } from '../../support/events.js'

type Modes = NonNullable<Parameters<typeof turnMode>[4]>
const offering = (...ids: string[]): Modes => ({ current: ids[0] ?? null, how: 'set_mode', values: ids.map((id) => ({ id, label: id })) })
const agentOf = (preset: 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'goose' | null, unaskedModes: true | string[] = []) =>
  ({
    id: 'it', displayName: 'It', preset, command: ['it'], env: {}, unaskedModes, isolation: 'auto' as const, network: 'all' as const, writable: [],
    reason: 'agents.it in config.yaml'
  })

t.test('each known agent begins in a mode in which it is known to ask, whatever it is set to itself', async (t) => {
  const told: Array<[Parameters<typeof agentOf>[0], string[], string]> = [
    // The modes of their current versions, each with its initial mode first.
    ['codex', ['agent', 'read-only', 'workspace-write', 'agent-full-access', 'permission-profile:mine'], 'workspace-write'],
    ['codex', ['auto', 'read-only', 'full-access'], 'auto'],
    ['claude-code', ['bypassPermissions', 'auto', 'acceptEdits', 'dontAsk', 'default', 'plan'], 'default'],
    ['gemini-cli', ['yolo', 'autoEdit', 'auto_edit', 'default', 'plan'], 'default'],
    ['opencode', ['mine', 'build', 'plan'], 'build'],
    ['goose', ['auto', 'smart_approve', 'approve', 'chat'], 'approve']
  ]
  for (const [preset, ids, expected] of told) {
    for (const own of [...ids, null, 'unknown']) {
      const mode = turnMode(agentOf(preset), 'all', null, own, offering(...ids)) ?? ''
      t.ok(preset !== null && agentPresets[preset].askingModes.includes(mode), `${preset} set to ${own}: ${mode}`)
    }
    t.equal(turnMode(agentOf(preset), 'all', null, ids[0]!, offering(...ids)), expected)
    for (const id of ids.filter((one) => !mayWorkIn(agentOf(preset), one))) {
      t.throws(() => turnMode(agentOf(preset), 'all', id, null, offering(...ids)), { message: /not known to ask/ }, `${preset} ${id}`)
      t.equal(turnMode(agentOf(preset, [id]), 'all', id, null, offering(...ids)), id, 'a person has allowed it')
    }
  }
  for (const id of presetIds) t.notOk(agentPresets[id]?.readingModes.some((mode) => !agentPresets[id]?.askingModes.includes(mode)), id)
  t.throws(() => turnMode(agentOf('codex'), 'all', null, 'next', offering('next', 'better')), { message: /not known to ask/ }, 'a version that names them in another way')
  t.throws(() => turnMode(agentOf(null), 'all', null, null, null), { message: /no mode in which it is known to ask/, failure: { hint: /allow_unasked_modes: true in agents\.it/ } })
  t.equal(turnMode(agentOf(null, true), 'all', null, null, null), null)
  t.equal(turnMode(agentOf(null, ['default', 'plan']), 'all', null, 'auto', offering('plan', 'default', 'auto')), 'default', 'a turn that may do something begins in no mode that only reads')
  t.equal(turnMode(agentOf(null, ['default', 'plan']), 'all', null, 'plan', offering('plan', 'default')), 'plan', 'as the agent itself is set')
  t.equal(turnMode(agentOf(null, ['plan']), 'all', null, 'auto', offering('auto', 'plan')), 'plan', 'the only one that is allowed')
  t.notOk(modeRule(agentOf('codex'), 'reading', null)('workspace-write'))
})

t.test('a session begins in a mode that is allowed, and an agent without one is refused with words', async (t) => {
  const service = await startAgent(t, { env: { AGENT_MODE: 'yolo' } })
  t.match((await service.turn(await service.newSession(), 'options')).text, /mode ask/, 'it is set before the first prompt')
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_MODES: 'yolo,auto' }), allow_unasked_modes: undefined } })
  const { last } = await service.turn(await service.newSession(), 'say hello')
  t.match(last.data, { message: /not known to ask before it acts in its mode "yolo"/, hint: /allow_unasked_modes: \[yolo\] in agent\b/ })
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_MODES: '' }), allow_unasked_modes: undefined } })
  t.match((await service.turn(await service.newSession(), 'say hello')).last.data, { message: /no mode in which it is known to ask/, hint: /allow_unasked_modes: true in agent\b/ })
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_MODES: '' }), allow_unasked_modes: true } })
  t.match((await service.turn(await service.newSession(), 'say hello')).text, /hello/)
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_STUBBORN: 'yolo' }) } })
  t.match((await service.turn(await service.newSession(), 'say hello')).last.data, { message: /not known to ask before it acts in its mode "yolo"/ }, 'one that says yes and stays as it is')
})

t.test('an agent that goes over to a mode in which it asks nobody is stopped', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const ways = {
    'it says so': "update(id, { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' })",
    'by an option': "update(id, { sessionUpdate: 'config_option_update', configOptions: [{ type: 'select', id: 'mode', category: 'mode', currentValue: 'yolo', options: [{ value: 'ask', name: 'Ask' }, { value: 'yolo', name: 'Yolo' }] }] })",
    'as Gemini CLI says it': "chunk('[MODE_UPDATE] yolo')"
  }
  for (const [way, script] of Object.entries(ways)) {
    const { last } = await service.turn(session, `script ${script}; await pause(60000)`)
    t.match(last, { event: 'apperror', data: { message: /not known to ask before it acts in its mode "yolo"/ } }, way)
    t.match((await service.turn(session, 'options')).text, /mode ask/, 'the next turn begins as it should')
  }
  for (const command of ['/yolo', '/approvals never', ' /permissions', '/mode auto', '/auto-approve']) t.match((await service.turn(session, command)).last.data, { message: /not passed on/ }, command)
})

t.test('no answer of ours is a mode, or a yes for good', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const run = async (options: string, choice: string): Promise<string> => {
    const reader = await service.watch(await service.send(session, `script const { result } = await ask('session/request_permission', { sessionId: id, toolCall: { toolCallId: 'm' + Math.random(), title: 'touch it', kind: 'execute', rawInput: { command: 'touch it' } }, options: ${options} }); chunk(result.outcome.optionId ?? result.outcome.outcome)`))
    await service.approve(session, choice)
    await reader.ended
    return tokenText(reader.frames).trim()
  }
  t.equal(await run("[{ optionId: 'yolo', name: 'Yes', kind: 'allow_once' }, { optionId: 'ok', name: 'Yes', kind: 'allow_once' }]", 'once'), 'ok')
  t.equal(await run("[{ optionId: 'yolo', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }]", 'once'), 'no')
  t.equal(await run("[{ optionId: 'ever', name: 'Always', kind: 'allow_always' }, { optionId: 'no', name: 'No', kind: 'reject_once' }]", 'once'), 'no')
  t.notOk(existsSync(join(service.workspace, 'it')))
})

t.test('a call is judged by what it carries, whatever it calls itself', async (t) => {
  const kinds = ['read', 'search', 'think', 'fetch', 'switch_mode', 'edit', 'delete', 'move', 'execute', 'other', undefined] as const
  const targets = (call: ToldCall) => describedCall('it', call, () => {}).targets({})
  for (const kind of kinds) {
    for (const input of [{ command: 'rm -rf x' }, { cmd: 'make' }, { command: ['rm', '-rf', 'x'] }, { argv: ['make'] }, { script: 'make', path: 'a' }]) {
      t.ok(targets({ kind, input }).command, `${kind} ${JSON.stringify(input)}`)
      t.notOk(onlyReads({ kind, input }))
    }
    t.match(targets({ kind, diffs: [{ path: 'a', before: null, after: 'b' }], input: { command: 'make' } }), { command: 'make', paths: [{ path: 'a', access: 'write' }] }, `${kind}: both`)
    t.match(targets({ kind, diffs: [{ path: 'a', before: null, after: 'b' }] }).paths, [{ path: 'a', access: 'write' }], `${kind}: a difference`)
    t.equal(describedCall('it', { kind }, () => {}).risk, 'execute', `${kind}: what carries nothing that is known is asked about by its name`)
    const isReading = kind === 'read' || kind === 'search'
    t.equal(targets({ kind, paths: ['a'], input: { path: 'a', code: 'import os' } }).paths?.some(({ access }) => access === 'read') ?? false, false, `${kind}: with what is not known`)
    t.equal(onlyReads({ kind, paths: ['a'], input: { path: 'a', offset: 1 } }), isReading)
  }
  t.same(targets({ kind: 'edit', input: { command: 'str_replace', path: 'a' } }), { paths: [{ path: 'a', access: 'write' }] }, 'the verb of a tool is no command')

  const service = await startAgent(t)
  const session = await service.newSession()
  for (const kind of ['think', 'read', 'other']) {
    const reader = await service.watch(await service.send(session, `script chunk(outcomeOf(await permission(id, { toolCallId: ${JSON.stringify(kind)}, title: 'A thought', kind: ${JSON.stringify(kind)}, rawInput: { command: 'touch thought' } })))`))
    t.match(await service.approve(session, 'deny'), { command: 'touch thought', pattern_key: 'cmd:touch' }, kind)
    await reader.ended
    t.match(tokenText(reader.frames), /no/)
  }
})
