import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, realpathSync, renameSync, statSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { NotFound, TooLarge, Unavailable } from '../../services/ground/errors.js'
import { follow } from '../../services/areas/foreign/follow.js'
import { createForeignIndex, type ForeignIndexOptions, type ForeignTranscript } from '../../services/areas/foreign/index.js'
import { tries } from '../support/tries.js'

type Test = Pick<typeof t, 'testdir' | 'teardown'>
type Entry = Record<string, unknown>

const claudeId = '5a0ddcd0-5487-4794-99ac-143f6bb9e248'
const codexId = '019d6057-5b00-70f0-bed7-96d71b8757fd'
const nowMs = Date.parse('2026-03-01T12:00:00Z')

/** Creates a home folder on a real disk, and the service on it; `again` is the service after a restart. */
function machine (t: Test, options: Partial<ForeignIndexOptions> = {}) {
  const home = realpathSync(t.testdir({ '.claude': { projects: {} }, '.codex': { sessions: {} } }))
  const db = openDatabase({ file: ':memory:' })
  t.teardown(() => db.close())
  const logged: string[] = []
  const reads: number[] = []
  const again = () => createForeignIndex({
    db, clock: { now: () => nowMs }, home, log: (message) => logged.push(message), onRead: (bytes) => reads.push(bytes), ...options
  })
  const claude = (name = claudeId, folder = '-home-ada-engine') => join(home, '.claude', 'projects', folder, `${name}.jsonl`)
  const codex = (id = codexId, day = '2026/02/03') => join(home, '.codex', 'sessions', day, `rollout-2026-02-03T10-11-12-${id}.jsonl`)
  const bytesRead = (): number => reads.splice(0).reduce((sum, bytes) => sum + bytes, 0)
  return { home, db, logged, reads, bytesRead, claude, codex, again, foreign: again() }
}

const lines = (entries: Entry[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

function put (path: string, content: Entry[] | string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Array.isArray(content) ? lines(content) : content)
}

const add = (path: string, entries: Entry[]): void => appendFileSync(path, lines(entries))

/** Returns entries as Claude Code writes them; each is a second later than the one before. */
function claudeEntries () {
  let n = 0
  const entry = (type: string, rest: Entry): Entry => {
    n++
    return {
      parentUuid: n === 1 ? null : `uuid-${n - 1}`, isSidechain: false, userType: 'external', cwd: '/home/ada/engine', sessionId: claudeId,
      version: '2.1.19', gitBranch: 'main', type, uuid: `uuid-${n}`, timestamp: new Date(Date.parse('2026-02-03T10:00:00Z') + n * 1000).toISOString(), ...rest
    }
  }
  return {
    entry,
    user: (content: unknown, rest: Entry = {}) => entry('user', { message: { role: 'user', content }, ...rest }),
    answer: (id: string, block: Entry, rest: Entry = {}) => entry('assistant', {
      requestId: `req_${id}`,
      message: {
        id, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [block], stop_reason: null,
        usage: { input_tokens: 10, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 7 }
      },
      ...rest
    }),
    result: (id: string, content: unknown, rest: Entry = {}) => entry('user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...rest }] }, toolUseResult: { stdout: 'again' }
    })
  }
}

const text = (value: string): Entry => ({ type: 'text', text: value })
const thinking = (value: string): Entry => ({ type: 'thinking', thinking: value, signature: 'EvACCkY' })
const toolUse = (id: string, name: string, input: Entry): Entry => ({ type: 'tool_use', id, name, input })

const item = (payload: Entry, second = 0): Entry => ({ timestamp: `2026-02-03T10:11:${String(12 + second).padStart(2, '0')}.000Z`, type: 'response_item', payload })
const codexEvent = (payload: Entry): Entry => ({ timestamp: '2026-02-03T10:11:12.000Z', type: 'event_msg', payload })
const said = (role: string, value: string): Entry => ({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: value }] })
const codexMeta = (rest: Entry = {}): Entry => ({
  timestamp: '2026-02-03T10:11:12.000Z', type: 'session_meta',
  payload: { id: codexId, timestamp: '2026-02-03T10:11:12.000Z', cwd: '/home/ada/loom', originator: 'codex_cli_rs', cli_version: '0.94.0', source: 'cli', model_provider: 'openai', ...rest }
})

function parsed (transcript: ForeignTranscript) {
  return { messages: transcript.messages.map((one) => JSON.parse(one)), toolCalls: transcript.toolCalls.map((one) => JSON.parse(one)) }
}

/** Checks what providers require: each call is answered directly after its message, once, and no answer comes without a call. */
function replayFault ({ replay }: ForeignTranscript): string | null {
  let open: string[] = []
  const ids = new Set<string>()
  for (const message of replay) {
    if (message === null) continue
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result' || !open.includes(part.toolCallId)) return 'a result without a call'
        open = open.filter((id) => id !== part.toolCallId)
      }
      continue
    }
    if (open.length > 0) return 'a call without a result'
    if (message.content.length === 0) return 'an empty message'
    for (const part of message.role === 'assistant' ? message.content : []) {
      if (part.type !== 'tool-call') continue
      if (ids.has(part.toolCallId)) return 'the same call twice'
      ids.add(part.toolCallId)
      open.push(part.toolCallId)
    }
  }
  return open.length === 0 ? null : 'a call without a result'
}

t.test('a Claude Code session', async (t) => {
  const { claude, foreign } = machine(t)
  const { entry, user, answer, result } = claudeEntries()
  put(claude(), [
    { type: 'summary', summary: 'Title of another conversation', leafUuid: 'elsewhere' },
    { type: 'file-history-snapshot', messageId: 'm', snapshot: {}, isSnapshotUpdate: false },
    user('<local-command-caveat>Caveat: generated while running local commands.</local-command-caveat>', { isMeta: true }),
    user('<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>'),
    user('<local-command-stdout></local-command-stdout>'),
    user([text('<ide_opened_file>The user opened a.ts</ide_opened_file>'), text('Make the tests\n\npass <system-reminder>be good</system-reminder>')]),
    answer('msg_1', thinking('They want green tests.')),
    answer('msg_1', text('I will run them.')),
    answer('msg_1', toolUse('toolu_1', 'Bash', { command: 'npm test', description: 'Run tests' })),
    result('toolu_1', 'FAIL a.test.ts', { is_error: true }),
    answer('msg_1', toolUse('toolu_2', 'Read', { file_path: '/home/ada/engine/a.ts' })),
    result('toolu_2', [text('export const a = 1'), { type: 'image', source: { type: 'base64', data: 'AAAA' } }]),
    entry('attachment', { attachment: { type: 'queued_command', commandMode: 'prompt', origin: { kind: 'human' }, prompt: 'And lint' } }),
    entry('attachment', { attachment: { type: 'queued_command', commandMode: 'task-notification', prompt: 'A task is done' } }),
    user('Look around', { isSidechain: true, agentId: 'a1' }),
    answer('msg_side', text('I am a sub-agent.'), { isSidechain: true, agentId: 'a1' }),
    { type: 'system', subtype: 'turn_duration', durationMs: 5, uuid: 's', timestamp: '2026-02-03T10:00:30.000Z' },
    answer('msg_2', text('Fixed.'))
  ])

  t.equal(await foreign.refresh(), true)
  const { path: _path, inode: _inode, modifiedAt: _modifiedAt, readBytes, ...row } = foreign.get(claudeId)!
  t.same(row, {
    id: claudeId, source: 'claude_code', title: 'Make the tests pass', workspace: '/home/ada/engine', model: 'claude-opus-4-5',
    messageCount: 6, userMessageCount: 2, inputTokens: 2 * 1110, cacheReadTokens: 2 * 1000, outputTokens: 14,
    createdAt: Date.parse('2026-02-03T10:00:04Z') / 1000, lastMessageAt: Date.parse('2026-02-03T10:00:15Z') / 1000
  })
  t.equal(readBytes, statSync(claude()).size)
  t.equal(await foreign.refresh(), false, 'nothing new')

  const transcript = await foreign.transcript(claudeId)
  const { messages, toolCalls } = parsed(transcript)
  t.match(messages, [
    { role: 'user', content: 'Make the tests\n\npass', message_id: 'uuid-4', timestamp: 1770112804, _ts: 1770112804 },
    {
      role: 'assistant', content: 'I will run them.', message_id: 'uuid-5', reasoning: 'They want green tests.',
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'Bash', arguments: '{"command":"npm test","description":"Run tests"}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'Read' } }
      ]
    },
    { role: 'tool', content: 'FAIL a.test.ts', tool_call_id: 'toolu_1', name: 'Bash', is_error: true },
    { role: 'tool', content: 'export const a = 1\n[image]', tool_call_id: 'toolu_2', name: 'Read' },
    { role: 'user', content: 'And lint' },
    { role: 'assistant', content: 'Fixed.' }
  ])
  t.equal(messages.length, 6)
  t.same(transcript.counted, [true, true, false, false, true, true])
  t.same(toolCalls[0], {
    name: 'Bash', snippet: 'FAIL a.test.ts', tid: 'toolu_1', assistant_msg_idx: 1, args: { command: 'npm test', description: 'Run tests' }, is_error: true, done: true
  })
  t.equal(toolCalls[1].assistant_msg_idx, 1, 'a block that came after a result still belongs to its answer')
  t.same(transcript.replay.slice(1, 3), [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will run them.' },
        { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'Bash', input: { command: 'npm test', description: 'Run tests' } },
        { type: 'tool-call', toolCallId: 'toolu_2', toolName: 'Read', input: { file_path: '/home/ada/engine/a.ts' } }
      ]
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'toolu_1', toolName: 'Bash', output: { type: 'error-text', value: 'FAIL a.test.ts' } }] }
  ])
  t.equal(replayFault(transcript), null)
})

t.test('a Codex session', async (t) => {
  const { codex, foreign } = machine(t)
  put(codex(), [
    codexMeta(),
    item(said('developer', '<permissions instructions>none</permissions instructions>')),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: '# AGENTS.md instructions for /home/ada/loom\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>' }, { type: 'input_text', text: '<environment_context>\n  <cwd>/home/ada/loom</cwd>\n</environment_context>' }] }),
    item(said('user', '# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nweave\na carpet'), 1),
    codexEvent({ type: 'user_message', message: 'weave a carpet', images: [] }),
    { timestamp: '2026-02-03T10:11:13.000Z', type: 'turn_context', payload: { cwd: '/home/ada/loom', model: 'gpt-5.2-codex', effort: 'high', approval_policy: 'never' } },
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: '**Planning**' }], content: null, encrypted_content: 'gAAAA' }, 2),
    codexEvent({ type: 'agent_reasoning', text: '**Planning**' }),
    item(said('assistant', 'On it.'), 2),
    item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls","workdir":"/home/ada/loom"}', call_id: 'call_1' }, 3),
    item({ type: 'custom_tool_call', status: 'completed', name: 'apply_patch', input: '*** Begin Patch', call_id: 'call_2' }, 3),
    item({ type: 'function_call_output', call_id: 'call_1', output: 'loom.rs\n' }, 4),
    item({ type: 'custom_tool_call_output', call_id: 'call_2', output: '{"output":"no such file","metadata":{"exit_code":1,"duration_seconds":0.1}}' }, 4),
    codexEvent({ type: 'token_count', info: null, rate_limits: {} }),
    codexEvent({ type: 'token_count', info: { total_token_usage: { input_tokens: 9000, cached_input_tokens: 4000, output_tokens: 300, total_tokens: 9300 }, last_token_usage: { input_tokens: 9000, output_tokens: 300 } } }),
    item(said('assistant', 'Woven.'), 5),
    codexEvent({ type: 'agent_message', message: 'Woven.' })
  ])
  await foreign.refresh()
  t.match(foreign.list(), [{
    id: codexId, source: 'codex', title: 'weave a carpet', workspace: '/home/ada/loom', model: 'gpt-5.2-codex', messageCount: 5, userMessageCount: 1,
    inputTokens: 9000, outputTokens: 300, createdAt: Date.parse('2026-02-03T10:11:12Z') / 1000, lastMessageAt: Date.parse('2026-02-03T10:11:17Z') / 1000
  }])
  const transcript = await foreign.transcript(codexId)
  const { messages, toolCalls } = parsed(transcript)
  t.match(messages, [
    { role: 'user', message_id: `${codexId}-0` },
    { role: 'assistant', content: 'On it.', reasoning: '**Planning**', tool_calls: [{ id: 'call_1', function: { name: 'exec_command', arguments: '{"cmd":"ls","workdir":"/home/ada/loom"}' } }, { id: 'call_2' }] },
    { role: 'tool', content: 'loom.rs\n', tool_call_id: 'call_1', name: 'exec_command' },
    { role: 'tool', content: 'no such file', tool_call_id: 'call_2', name: 'apply_patch', is_error: true },
    { role: 'assistant', content: 'Woven.' }
  ])
  t.match(toolCalls, [{ name: 'exec_command', args: { cmd: 'ls' } }, { name: 'apply_patch', args: { patch: '*** Begin Patch' }, snippet: 'no such file' }])
  t.equal(replayFault(transcript), null)

  t.test('in the format without wrappers', async (t) => {
    const { codex, foreign } = machine(t)
    put(codex(), [
      { id: codexId, timestamp: '2025-08-01T09:00:00.000Z', instructions: null, git: { branch: 'main' } },
      { record_type: 'state' },
      said('user', '<environment_context>\nCurrent working directory: /home/ada/mill\nApproval policy: never\n</environment_context>'),
      said('user', 'Grind this'),
      { type: 'local_shell_call', id: null, call_id: 'call_9', status: 'completed', action: { type: 'exec', command: ['bash', '-lc', 'make'] } },
      { type: 'function_call_output', call_id: 'call_9', output: { content: 'make: error', success: false } },
      { record_type: 'state' },
      said('assistant', 'It does not grind.')
    ])
    await foreign.refresh()
    t.match(foreign.get(codexId), { title: 'Grind this', workspace: '/home/ada/mill', messageCount: 4, createdAt: Date.parse('2025-08-01T09:00:00Z') / 1000 })
    const { messages } = parsed(await foreign.transcript(codexId))
    t.match(messages[0], { role: 'user', content: 'Grind this', timestamp: Date.parse('2025-08-01T09:00:00Z') / 1000 })
    t.match(messages[1].tool_calls, [{ function: { name: 'shell', arguments: '{"command":["bash","-lc","make"]}' } }])
    t.match(messages[2], { content: 'make: error', is_error: true, name: 'shell' })
  })
})

t.test('titles', async (t) => {
  const { user, answer } = claudeEntries()
  const first = user('First words')
  const cases: Array<[string, Entry[], string | null]> = [
    ['the first words', [first, user('Second words')], 'First words'],
    ['64 characters of them', [user('é🙂'.repeat(100))], 'é🙂'.repeat(32)],
    ['a summary of this conversation', [first, { type: 'summary', summary: 'Summed up', leafUuid: first.uuid }], 'Summed up'],
    ['a summary that comes before what it sums up', [{ type: 'summary', summary: 'Summed up', leafUuid: first.uuid }, first], 'Summed up'],
    ['not the summary of another', [{ type: 'summary', summary: 'Other', leafUuid: 'other' }, first], 'First words'],
    ['the newest generated title', [first, { type: 'ai-title', aiTitle: 'One' }, { type: 'ai-title', aiTitle: 'Two' }], 'Two'],
    ['a title that was given stays', [{ type: 'custom-title', customTitle: 'Mine' }, first, { type: 'ai-title', aiTitle: 'Two' }], 'Mine'],
    ['a command, while there is nothing better', [user('<command-name>/init</command-name>\n<command-args>now</command-args>'), answer('m', text('Done'))], '/init now'],
    ['words after a command', [user('<command-name>/init</command-name>'), answer('m', text('Done')), user('Go on')], 'Go on'],
    ['an image has none', [user([{ type: 'image', source: {} }]), answer('m', text('Nice'))], null],
    ['an interruption says nothing', [user([text('[Request interrupted by user for tool use]')]), user('Again')], 'Again']
  ]
  for (const [name, entries, title] of cases) {
    const { claude, foreign } = machine(t)
    put(claude(), entries)
    await foreign.refresh()
    t.equal(foreign.get(claudeId)?.title, title, name)
  }
  const { codex, foreign } = machine(t)
  put(codex(), [codexMeta(), item(said('user', 'Hello')), codexEvent({ type: 'thread_name_updated', thread_id: codexId, thread_name: 'Greeting' })])
  await foreign.refresh()
  t.equal(foreign.get(codexId)?.title, 'Greeting')
})

t.test('what is no conversation with a person is left out', async (t) => {
  const { claude, codex, foreign, bytesRead, again } = machine(t)
  const { user, answer } = claudeEntries()
  put(claude('11111111-0000-4000-8000-000000000000'), [user('x', { isSidechain: true }), answer('m', text('y'), { isSidechain: true })])
  put(claude('agent-de30ae5d'), [user('x')])
  put(claude('22222222-0000-4000-8000-000000000000'), [{ type: 'summary', summary: 'Only a summary' }])
  put(claude('33333333-0000-4000-8000-000000000000'), [user('<command-name>/exit</command-name>'), user('<local-command-stdout>Bye!</local-command-stdout>')])
  put(claude('44444444-0000-4000-8000-000000000000'), [user('done', { origin: { kind: 'task-notification' } })])
  const spawned = codex('019d0000-0000-7000-8000-000000000001')
  put(spawned, [codexMeta({ source: { subagent: { thread_spawn: { parent_thread_id: codexId, depth: 1 } } } }), item(said('user', 'Explore'))])
  put(codex('019d0000-0000-7000-8000-000000000002'), [codexMeta({ thread_source: 'guardian_review' }), item(said('user', 'Review'))])
  put(codex('019d0000-0000-7000-8000-000000000003'), [codexMeta(), item(said('user', '<environment_context></environment_context>'))])
  t.equal(await foreign.refresh(), false)
  t.same(foreign.list(), [])
  t.equal(foreign.get('33333333-0000-4000-8000-000000000000'), undefined)
  await t.rejects(foreign.transcript('22222222-0000-4000-8000-000000000000'), NotFound)

  bytesRead()
  await foreign.refresh()
  t.equal(bytesRead(), 0, 'and not read again')
  add(spawned, [item(said('user', 'More'))])
  await foreign.refresh()
  t.equal(bytesRead(), 0, 'nor what a sub-agent says later')
  add(spawned, [item(said('user', 'Even more'))])
  await again().refresh()
  t.same(foreign.list(), [], 'nor after a restart')
})

t.test('only what was appended is read', async (t) => {
  const { claude, foreign, again, bytesRead, reads } = machine(t)
  const { user, answer, result } = claudeEntries()
  put(claude(), [user('Hello'), ...Array.from({ length: 3000 }, (_, n) => answer(`msg_${n}`, text(`Answer ${n}`)))])
  await foreign.refresh()
  t.equal(bytesRead(), statSync(claude()).size)
  t.equal(foreign.get(claudeId)!.messageCount, 3001)

  const more = [answer('msg_2999', toolUse('toolu_1', 'Bash', { command: 'ls' })), result('toolu_1', 'a.ts')]
  add(claude(), more)
  t.equal(await foreign.refresh(), true)
  const appended = Buffer.byteLength(lines(more))
  t.ok(bytesRead() <= appended + 64, 'the new bytes, and the seam before them')
  t.match(foreign.get(claudeId), { messageCount: 3002, outputTokens: 3000 * 7 }, 'the block joins the answer that was read before')

  t.test('an incomplete line waits', async (t) => {
    const line = JSON.stringify(user('Grüße'))
    appendFileSync(claude(), Buffer.from(line).subarray(0, -4))
    t.equal(await foreign.refresh(), false)
    t.equal(foreign.get(claudeId)!.userMessageCount, 1)
    appendFileSync(claude(), Buffer.concat([Buffer.from(line).subarray(-4), Buffer.from('\n')]))
    t.equal(await foreign.refresh(), true)
    t.match(foreign.get(claudeId), { messageCount: 3003, userMessageCount: 2, readBytes: statSync(claude()).size })
  })

  t.test('after a restart as well', async (t) => {
    const restarted = again()
    bytesRead()
    t.equal(await restarted.refresh(), false)
    t.equal(bytesRead(), 0)
    add(claude(), [answer('msg_new', text('Welcome'))])
    t.equal(await restarted.refresh(), true)
    t.ok(bytesRead() < 70_000, 'the new line and the end of what was known')
    t.ok(reads.every((bytes) => bytes <= 65_536))
    t.match(restarted.get(claudeId), { messageCount: 3004, title: 'Hello' })
    t.equal((await restarted.transcript(claudeId)).messages.length, 3004)
  })
})

t.test('a file that is another one now is read anew', async (t) => {
  const { claude, foreign, again } = machine(t)
  const { user, answer } = claudeEntries()
  const old = [user('The old conversation'), answer('msg_1', text('Yes')), answer('msg_2', text('Quite'))]
  const changes: Array<[string, () => void]> = [
    ['shorter', () => put(claude(), [user('The new one')])],
    ['removed and written again, longer', () => {
      unlinkSync(claude())
      put(claude(), [user('The new one'), ...old.slice(1), answer('msg_3', text('x'.repeat(500)))])
    }],
    ['replaced by renaming', () => {
      put(`${claude()}.new`, [user('The new one'), ...old.slice(1), ...old.slice(1), ...old.slice(1)])
      renameSync(`${claude()}.new`, claude())
    }],
    ['overwritten in place, longer', () => put(claude(), [user('The new one'), answer('msg_9', text('y'.repeat(2000)))])]
  ]
  for (const [name, change] of changes) {
    put(claude(), old)
    utimesSync(claude(), 1_700_000_000, 1_700_000_000)
    await foreign.refresh()
    t.equal(foreign.get(claudeId)?.title, 'The old conversation', name)
    change()
    t.equal(await foreign.refresh(), true)
    t.equal(foreign.get(claudeId)?.title, 'The new one', name)
    t.equal((await foreign.transcript(claudeId)).messages.length, foreign.get(claudeId)!.messageCount, name)
  }

  t.test('one that is gone loses its row', async (t) => {
    unlinkSync(claude())
    await t.rejects(foreign.transcript(claudeId), Unavailable)
    t.equal(await foreign.refresh(), true)
    t.same(foreign.list(), [])
    await t.rejects(foreign.transcript(claudeId), NotFound)
    t.equal(await again().refresh(), false)
  })
})

t.test('links and special files are not followed', async (t) => {
  const { home, claude, codex, foreign } = machine(t)
  const { user } = claudeEntries()
  const outside = join(home, 'outside', 'secret.jsonl')
  put(outside, [user('A secret')])
  mkdirSync(dirname(claude()))
  symlinkSync(outside, claude())
  symlinkSync(dirname(outside), join(home, '.claude', 'projects', 'linked-folder'))
  mkdirSync(claude('a-folder'))
  execFileSync('mkfifo', [claude('a-pipe')])
  mkdirSync(dirname(codex()), { recursive: true })
  symlinkSync(outside, codex())
  t.equal(await foreign.refresh(), false)
  t.same(foreign.list(), [])

  t.test('not even when one takes the place of a file that was read', async (t) => {
    const path = claude('55555555-0000-4000-8000-000000000000')
    put(path, [user('Harmless')])
    await foreign.refresh()
    unlinkSync(path)
    symlinkSync(outside, path)
    await t.rejects(foreign.transcript('55555555-0000-4000-8000-000000000000'), Unavailable)
    renameSync(dirname(claude()), `${dirname(claude())}-moved`)
    symlinkSync(`${dirname(claude())}-moved`, dirname(claude()))
    await t.rejects(foreign.transcript('55555555-0000-4000-8000-000000000000'), Unavailable)
    t.equal(await foreign.refresh(), true)
    t.same(foreign.list(), [])
  })
})

t.test('other work goes on while a long file is read', async (t) => {
  let pauses = 0
  let turns = 0
  let isReading = true
  const turnsOfReads: number[] = []
  const { claude, foreign, reads } = machine(t, {
    pause: async () => { pauses++ },
    onRead (bytes) {
      reads.push(bytes)
      turnsOfReads.push(turns)
    }
  })
  const { user, answer } = claudeEntries()
  put(claude(), Array.from({ length: 5000 }, (_, n) => [user(`Question ${n}`), answer(`msg_${n}`, text('word '.repeat(50)))]).flat())
  const count = (): void => { if (isReading) { turns++; setImmediate(count) } }
  count()
  await foreign.refresh()
  isReading = false
  t.equal(foreign.get(claudeId)!.messageCount, 10_000)
  t.ok(reads.length >= statSync(claude()).size / (64 * 1024), 'in small pieces')
  t.ok(reads.every((bytes) => bytes <= 64 * 1024))
  t.equal(new Set(turnsOfReads).size, reads.length, 'each in a turn of the event loop of its own')
  t.equal(pauses, 10_000 / 250)

  pauses = 0
  await foreign.transcript(claudeId)
  t.ok(pauses >= 10_000 / 250 + 10_000 / 500, `${pauses} pauses while the transcript is put together`)

  t.test('many short lines', async (t) => {
    pauses = 0
    put(claude(), lines([user('Hi')]) + '{}\n'.repeat(100_000))
    await foreign.refresh()
    t.equal(pauses, 100_000 / 250)
  })
})

t.test('limits', async (t) => {
  t.test('lines that are too long are passed over', async (t) => {
    const { claude, foreign, bytesRead } = machine(t)
    const { user, answer } = claudeEntries()
    put(claude(), lines([user('Small')]) + lines([user('x'.repeat(9 * 1024 * 1024))]) + lines([answer('m', text('Fine'))]))
    await foreign.refresh()
    t.match(foreign.get(claudeId), { messageCount: 2, userMessageCount: 1 })

    appendFileSync(claude(), 'y'.repeat(9 * 1024 * 1024))
    await foreign.refresh()
    bytesRead()
    appendFileSync(claude(), '"}\n' + lines([user('After it')]))
    await foreign.refresh()
    t.ok(bytesRead() < 1000, 'what is too long is not read twice')
    t.match(foreign.get(claudeId), { messageCount: 3, userMessageCount: 2 })
  })

  t.test('a file that is too large is listed, not shown', async (t) => {
    const { claude, foreign } = machine(t)
    put(claude(), [claudeEntries().user('Huge')])
    truncateSync(claude(), 64 * 1024 * 1024 + 1)
    await foreign.refresh()
    t.equal(foreign.get(claudeId)!.messageCount, 1)
    await t.rejects(foreign.transcript(claudeId), TooLarge)
  })

  t.test('the newest files count', async (t) => {
    const { claude, foreign } = machine(t, { maxFiles: 2 })
    for (const n of [1, 2, 3, 4, 5]) {
      put(claude(`session-${n}`), [{ ...claudeEntries().user(`Number ${n}`), timestamp: `2026-02-0${n}T00:00:00Z` }])
      utimesSync(claude(`session-${n}`), 1_700_000_000 + n, 1_700_000_000 + n)
    }
    await foreign.refresh()
    t.same(foreign.list().map(({ id }) => id), ['session-5', 'session-4'])
    utimesSync(claude('session-1'), 1_700_000_009, 1_700_000_009)
    t.equal(await foreign.refresh(), true)
    t.same(foreign.list().map(({ id }) => id), ['session-5', 'session-1'])
  })

  t.test('times from the future are not believed', async (t) => {
    const { claude, foreign } = machine(t)
    put(claude(), [{ ...claudeEntries().user('Hi'), timestamp: '9999-01-01T00:00:00Z' }])
    await foreign.refresh()
    t.equal(foreign.get(claudeId)!.lastMessageAt, nowMs / 1000)
  })

  t.test('long results are cut, in the card much shorter', async (t) => {
    const { claude, foreign } = machine(t)
    const { user, answer, result } = claudeEntries()
    put(claude(), [user('Hi'), answer('m', toolUse('t', 'Bash', { command: 'c'.repeat(9000), other: 'o'.repeat(900) })), result('t', 'r'.repeat(200_000))])
    await foreign.refresh()
    const { messages, toolCalls } = parsed(await foreign.transcript(claudeId))
    t.ok(messages[2].content.length < 101_000)
    t.equal(toolCalls[0].snippet.length, 4000)
    t.equal(toolCalls[0].args.command.length, 4000)
    t.equal(toolCalls[0].args.other.length, 120)
  })
})

t.test('ids', async (t) => {
  const { claude, codex, foreign, again } = machine(t)
  const { user } = claudeEntries()
  put(claude(codexId), [user('Same id, other program')])
  put(claude(codexId, '-other-folder'), [user('Same id, other folder')])
  put(codex(), [codexMeta(), item(said('user', 'Mine'))])
  put(claude('weird name; rm -rf\u202e'), [user('Odd')])
  await foreign.refresh()
  const ids = foreign.list().map(({ id }) => id).sort()
  t.same(ids, [codexId, `${codexId}-claude`, `${codexId}-codex`, 'weird_name__rm_-rf_'])
  for (const id of ids) t.match(id, /^[A-Za-z0-9._-]+$/)
  await again().refresh()
  t.same(foreign.list().map(({ id }) => id).sort(), ids, 'they stay')

  t.test('of messages are unique', async (t) => {
    const { claude, foreign } = machine(t)
    const twice = user('Twice')
    put(claude(), [twice, twice, { ...twice, uuid: `${claudeId}-1` }, { ...twice, uuid: '../../etc/passwd' }, { ...twice, uuid: undefined }])
    await foreign.refresh()
    const found = parsed(await foreign.transcript(claudeId)).messages.map(({ message_id: id }) => id)
    t.equal(new Set(found).size, 5)
    for (const id of found) t.match(id, /^[\w.-]+$/)
  })
})

t.test('one refresh at a time', { long: true }, async (t) => {
  const { claude, foreign, bytesRead } = machine(t)
  put(claude(), [claudeEntries().user('Hi')])
  const [first, second] = [foreign.refresh(), foreign.refresh()]
  t.equal(first, second)
  t.same(await Promise.all([first, second]), [true, true])
  t.equal(bytesRead(), statSync(claude()).size)

  t.test('and none after it was stopped', async (t) => {
    add(claude(), [claudeEntries().user('More')])
    const running = foreign.refresh()
    await foreign.stop()
    t.equal(await running, false)
    t.equal(foreign.get(claudeId)!.messageCount, 1)
  })
})

t.test('transcripts are kept for a while', async (t) => {
  const { claude, foreign, bytesRead } = machine(t)
  for (const n of [1, 2, 3, 4, 5]) put(claude(`session-${n}`), [claudeEntries().user(`Number ${n}`)])
  await foreign.refresh()
  bytesRead()
  const [one, same] = await Promise.all([foreign.transcript('session-1'), foreign.transcript('session-1')])
  t.equal(one, same, 'asked for twice at once, read once')
  t.equal(await foreign.transcript('session-1'), one)
  t.equal(bytesRead(), statSync(claude('session-1')).size)
  add(claude('session-1'), [claudeEntries().user('More')])
  t.equal((await foreign.transcript('session-1')).messages.length, 2, 'until the file changes')
  for (const n of [2, 3, 4, 5]) await foreign.transcript(`session-${n}`)
  bytesRead()
  await foreign.transcript('session-5')
  t.equal(bytesRead(), 0)
  await foreign.transcript('session-1')
  t.ok(bytesRead() > 0, 'the fifth drops the first')
})

t.test('errors, cut-off calls and odd orders', async (t) => {
  const { claude, foreign } = machine(t)
  const { user, answer, result } = claudeEntries()
  const failed = answer('api', text('API Error: 529 Overloaded'), { isApiErrorMessage: true })
  Object.assign(failed.message as Entry, { model: '<synthetic>' })
  const filler = answer('none', text('No response requested.'))
  Object.assign(filler.message as Entry, { model: '<synthetic>' })
  put(claude(), [
    user('Hi'), failed, filler,
    answer('a', toolUse('t1', 'Bash', { command: 'sleep' })), user('Stop that'),
    result('t1', 'too late'), result('unknown', 'whose?'),
    answer('b', toolUse('t2', 'Bash', {})), answer('b', toolUse('t2', 'Bash', {})), result('t2', 'once'), result('t2', 'twice'),
    answer('c', toolUse('t2', 'mcp.server/do it!', {})), result('t2', 'the id again')
  ])
  await foreign.refresh()
  const transcript = await foreign.transcript(claudeId)
  const { messages } = parsed(transcript)
  t.equal(messages.length, foreign.get(claudeId)!.messageCount)
  t.match(messages[1], { role: 'assistant', content: 'API Error: 529 Overloaded', _error: true })
  t.equal(transcript.replay[1], null, 'a model is never shown an error')
  t.notMatch(JSON.stringify(messages), 'No response requested')
  t.equal(replayFault(transcript), null)
  t.match(JSON.stringify(transcript.replay.at(-1)), /"toolName":"mcp_server_do_it_"/)
  t.equal(foreign.get(claudeId)!.model, 'claude-opus-4-5')
})

t.test('any cuts and restarts lead to the same row', { long: true }, async (t) => {
  const script = fc.array(fc.tuple(fc.constantFrom('user', 'text', 'call', 'result', 'think', 'command', 'stdout', 'title', 'given', 'junk', 'side'), fc.nat(3)), { minLength: 1, maxLength: 25 })
  const toClaude = (steps: Array<[string, number]>): string => {
    const { user, answer, result } = claudeEntries()
    return lines([user('Start')]) + steps.map(([step, n]) => ({
      user: () => lines([user(`Wörter ${n}`)]),
      text: () => lines([answer(`msg_${n}`, text('yes'))]),
      call: () => lines([answer(`msg_${n}`, toolUse(`toolu_${n}`, 'Bash', { n }))]),
      result: () => lines([result(`toolu_${n}`, 'ok')]),
      think: () => lines([answer(`msg_${n}`, thinking(n === 0 ? '' : 'hm'))]),
      command: () => lines([user(`<command-name>/do-${n}</command-name>`)]),
      stdout: () => lines([user('<local-command-stdout>ok</local-command-stdout>')]),
      title: () => lines([{ type: 'ai-title', aiTitle: `Title ${n}` }]),
      given: () => lines([{ type: 'custom-title', customTitle: `Given ${n}` }]),
      junk: () => ['{"type":"user"\n', '\n', 'null\n', '\u0000\u0001{}\n'][n]!,
      side: () => lines([user('aside', { isSidechain: true })])
    }[step]!())).join('')
  }
  const toCodex = (steps: Array<[string, number]>): string => lines([codexMeta(), item(said('user', 'Start'))]) + steps.map(([step, n]) => {
    if (step === 'junk') return '{"payload":[]}\n'
    if (step === 'user') return lines([item(said('user', `Wörter ${n}`))])
    if (step === 'call') return lines([item({ type: 'function_call', name: 'shell', arguments: '{', call_id: `c${n}` })])
    if (step === 'result') return lines([item({ type: 'function_call_output', call_id: `c${n}`, output: 'ok' })])
    return lines([item(said('assistant', 'yes'))])
  }).join('')
  const comparable = (row: object | undefined) => ({ ...row, inode: 0, modifiedAt: 0, path: '' })

  await fc.assert(fc.asyncProperty(script, fc.boolean(), fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 6 }), async (steps, isClaude, cuts) => {
    const whole = machine(t)
    const content = Buffer.from(isClaude ? toClaude(steps) : toCodex(steps))
    const id = isClaude ? claudeId : codexId
    const target = isClaude ? whole.claude() : whole.codex()
    put(target, content)
    await whole.foreign.refresh()
    const expected = comparable(whole.foreign.get(id))
    const transcript = await whole.foreign.transcript(id)
    if (transcript.messages.length !== whole.foreign.get(id)!.messageCount) throw new Error('rows are counted otherwise than they are made')
    const fault = replayFault(transcript)
    if (fault !== null) throw new Error(fault)
    whole.db.sqlite.exec('delete from foreign_sessions')
    unlinkSync(target)

    let service = whole.again()
    let written = 0
    for (const [at, isRestarted] of [...cuts.map(([cut, restart]) => [cut % (content.length + 1), restart] as const).sort((a, b) => a[0] - b[0]), [content.length, false] as const]) {
      mkdirSync(dirname(target), { recursive: true })
      appendFileSync(target, content.subarray(written, at))
      written = at
      await service.refresh()
      if (isRestarted) service = whole.again()
    }
    t.strictSame(comparable(service.get(id)), expected)
    t.same(whole.logged, [])
  }), { numRuns: tries(60) })
})

t.test('no content breaks the reading', { long: true }, async (t) => {
  const { claude, codex, foreign, logged } = machine(t)
  const part = fc.oneof(fc.jsonValue(), fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image'), text: fc.jsonValue(), id: fc.jsonValue(), name: fc.jsonValue(), input: fc.jsonValue(), tool_use_id: fc.jsonValue(), content: fc.jsonValue() }, { requiredKeys: ['type'] }))
  const message = fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), role: fc.jsonValue(), model: fc.jsonValue(), usage: fc.oneof(fc.jsonValue(), fc.record({ input_tokens: fc.jsonValue(), output_tokens: fc.double() })), content: fc.oneof(fc.jsonValue(), fc.array(part)) }))
  const claudeEntry = fc.record({ type: fc.constantFrom('user', 'assistant', 'summary', 'custom-title'), message, summary: fc.jsonValue(), leafUuid: fc.jsonValue(), customTitle: fc.jsonValue(), uuid: fc.jsonValue(), timestamp: fc.oneof(fc.jsonValue(), fc.string()), cwd: fc.jsonValue() }, { requiredKeys: ['type'] })
  const payload = fc.record({ type: fc.constantFrom('message', 'reasoning', 'function_call', 'function_call_output', 'local_shell_call', 'custom_tool_call', 'token_count'), role: fc.constantFrom('user', 'assistant', 7), content: fc.oneof(fc.jsonValue(), fc.array(part)), summary: fc.oneof(fc.jsonValue(), fc.array(part)), name: fc.jsonValue(), arguments: fc.jsonValue(), call_id: fc.jsonValue(), output: fc.jsonValue(), info: fc.jsonValue(), action: fc.jsonValue(), source: fc.jsonValue(), cwd: fc.jsonValue() }, { requiredKeys: ['type'] })
  const codexEntry = fc.oneof(payload, fc.record({ type: fc.constantFrom('response_item', 'event_msg', 'session_meta', 'turn_context'), payload, timestamp: fc.jsonValue() }))
  await fc.assert(fc.asyncProperty(fc.array(claudeEntry), fc.array(codexEntry), fc.uint8Array({ maxLength: 200 }), async (ours, theirs, noise) => {
    put(claude(), Buffer.concat([Buffer.from(lines([claudeEntries().user('Hi'), ...ours])), noise, Buffer.from('\n')]))
    put(codex(), Buffer.concat([Buffer.from(lines([codexMeta(), item(said('user', 'Hi')), ...theirs])), noise, Buffer.from('\n')]))
    await foreign.refresh()
    t.same(logged, [])
    for (const { id, messageCount } of foreign.list()) {
      const transcript = await foreign.transcript(id)
      if (transcript.messages.length !== messageCount) throw new Error('rows are counted otherwise than they are made')
      if (replayFault(transcript) !== null) throw new Error(replayFault(transcript)!)
      parsed(transcript)
    }
  }), { numRuns: tries(150) })

  t.test('nor does depth, nor unclosed tags', async (t) => {
    const { claude, foreign, logged } = machine(t)
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const { user, result } = claudeEntries()
    put(claude(), lines([user(`${'<bash-input>'.repeat(200_000)} hello`)]) +
      `{"type":"assistant","uuid":"u","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"n","input":${deep}}]}}\n` + lines([result('t', 'done')]))
    await foreign.refresh()
    t.equal((await foreign.transcript(claudeId)).messages.length, 3)
    t.same(logged, [])
  })

  t.test('nor does the same id, however often', async (t) => {
    const { claude, foreign } = machine(t)
    const { user, answer } = claudeEntries()
    put(claude(), [user('Hi'), ...Array.from({ length: 20_000 }, (_, n) => [answer(`m${n}`, toolUse('same', 'n', {})), answer('one', toolUse(`t${n}`, 'n', {}))]).flat()])
    await foreign.refresh()
    const { messages } = await foreign.transcript(claudeId)
    t.equal(messages.length, foreign.get(claudeId)!.messageCount)
  })

  t.test('a home without such folders is an empty one', async (t) => {
    const { foreign, logged } = machine(t, { home: '/nonexistent' })
    t.equal(await foreign.refresh(), false)
    t.same(foreign.list(), [])
    t.same(logged, [])
    t.notOk(existsSync('/nonexistent'))
  })
})

t.test('what is remembered of a file keeps nothing else in memory', async (t) => {
  const path = join(t.testdir(), 'a.jsonl')
  writeFileSync(path, '{"type":"user"}\n'.repeat(2_000))
  const reader = { read: () => [] }
  const { seam, readBytes } = (await follow(() => reader, { path, nowS: 1, isStopped: () => false, pause: async () => {} }))!
  t.equal(readBytes, statSync(path).size)
  t.same([String(seam), seam.buffer.byteLength], ['{"type":"user"}\n', seam.length])
})
