// An agent of another maker for tests: it speaks the Agent Client Protocol over its standard input and output, and does what the prompt
// says. `AGENT_FAULT` makes it misbehave from the start; `AGENT_STATE` is the file in which its sessions survive its exit.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const fault = process.env.AGENT_FAULT ?? ''
const state = process.env.AGENT_STATE
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answers = new Map()
const cancelled = new Set()
const waiting = new Map()
const sessions = new Map()
let requests = 0

const ask = (method, params) => new Promise((resolve) => {
  const id = `a${++requests}`
  answers.set(id, resolve)
  say({ id, method, params })
})
const update = (sessionId, body) => say({ method: 'session/update', params: { sessionId, update: body } })
const chunk = (sessionId, text, sessionUpdate = 'agent_message_chunk') => update(sessionId, { sessionUpdate, content: { type: 'text', text } })
const remember = (entry) => { if (state !== undefined) appendFileSync(state, `${JSON.stringify(entry)}\n`) }
const remembered = () => state !== undefined && existsSync(state) ? readFileSync(state, 'utf8').trim().split('\n').map((line) => JSON.parse(line)) : []
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })

/** `AGENT_MODES` lists its modes, `AGENT_MODE` is the initial one, and `AGENT_STUBBORN` the one that it keeps whatever it is told. */
const modes = (process.env.AGENT_MODES ?? 'ask,plan,yolo').split(',').filter((mode) => mode !== '')
const optionsOf = (session) => [
  { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: session.model, options: [{ value: 'small', name: 'Small' }, { value: 'large', name: 'Large' }] },
  ...modes.length === 0 ? [] : [{ type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: session.mode, options: modes.map((mode) => ({ value: mode, name: mode.slice(0, 1).toUpperCase() + mode.slice(1) })) }],
  { type: 'select', id: 'effort', name: 'Effort', category: 'thought_level', currentValue: session.effort, options: [{ value: 'low', name: 'Low' }, { value: 'high', name: 'High' }] }
]
const opened = (sessionId) => {
  const session = { model: 'small', mode: process.env.AGENT_STUBBORN ?? process.env.AGENT_MODE ?? modes[0], effort: 'low', said: [], cwd: '' }
  sessions.set(sessionId, session)
  setTimeout(() => update(sessionId, { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'review', description: 'Looks at the changes', input: { hint: 'what' } }] }), 5)
  return session
}

const permissionOptions = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' }, { optionId: 'ever', name: 'Always allow', kind: 'allow_always' }, { optionId: 'no', name: 'Reject', kind: 'reject_once' }
]
const permission = (sessionId, toolCall) => ask('session/request_permission', { sessionId, toolCall, options: permissionOptions })
const outcomeOf = ({ result }) => result?.outcome?.outcome === 'selected' ? result.outcome.optionId : result?.outcome?.outcome ?? 'none'

/** What a prompt can ask for, as `word rest`. */
const doings = {
  async say (id, rest) { for (const word of rest.split(' ')) chunk(id, `${word} `) },
  async think (id, rest) { chunk(id, rest, 'agent_thought_chunk') },
  /** Sends fifty chunks a second; each contains the microsecond at which it was written. */
  async drip (id, rest) {
    for (let count = Number(rest); count > 0; count--) {
      chunk(id, `t${Math.round((performance.now() + performance.timeOrigin) * 1000)} `)
      await pause(20)
    }
  },
  async recall (id) { chunk(id, `I remember: ${sessions.get(id).said.join(' | ')}`) },
  async images (id, rest, prompt) { chunk(id, `${prompt.filter(({ type }) => type === 'image').length} images`) },
  async servers (id) { chunk(id, JSON.stringify(sessions.get(id).mcpServers)) },
  async env (id, rest) { chunk(id, `It has ${process.env[rest] ?? 'nothing'} there. `) },
  async options (id) {
    const { model, mode, effort } = sessions.get(id)
    chunk(id, `model ${model}, mode ${mode}, effort ${effort}`)
  },
  async plan (id, rest) {
    update(id, { sessionUpdate: 'plan', entries: rest.split('; ').map((content, index) => ({ content, priority: 'medium', status: index === 0 ? 'in_progress' : 'pending' })) })
    chunk(id, 'Planned.')
  },
  async usage (id) { update(id, { sessionUpdate: 'usage_update', used: 5_000, size: 200_000, cost: { amount: 0.25, currency: 'USD' } }) },
  /** Announces a call, asks for permission, and reports the end. */
  async run (id, command) {
    const call = { toolCallId: 'run-1', title: `Run ${command}`, kind: 'execute', rawInput: { command } }
    update(id, { sessionUpdate: 'tool_call', status: 'pending', ...call })
    const outcome = outcomeOf(await permission(id, call))
    update(id, { sessionUpdate: 'tool_call_update', toolCallId: 'run-1', status: outcome === 'yes' ? 'completed' : 'failed', content: [{ type: 'content', content: { type: 'text', text: `the answer was ${outcome}` } }] })
    chunk(id, `Run: ${outcome}.`)
  },
  /** As some agents do: the permission request is the first message about a call, with only a title; and its end is reported twice. */
  async silent (id, command) {
    const outcome = outcomeOf(await permission(id, { toolCallId: 'silent-1', title: `${command} [current working directory /somewhere] (to look)`, kind: 'execute' }))
    for (let twice = 0; twice < 2; twice++) update(id, { sessionUpdate: 'tool_call_update', toolCallId: 'silent-1', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'done' } }] })
    chunk(id, `Silent: ${outcome}.`)
  },
  /** Makes two calls at once, of which the first ends last. */
  async overlap (id) {
    for (const name of ['outer', 'inner']) update(id, { sessionUpdate: 'tool_call', toolCallId: name, title: name, kind: 'read', status: 'in_progress' })
    for (const name of ['inner', 'outer']) update(id, { sessionUpdate: 'tool_call_update', toolCallId: name, status: 'completed', content: [{ type: 'content', content: { type: 'text', text: `${name} result` } }] })
    chunk(id, 'Both done.')
  },
  async edit (id, rest) {
    const [path, text] = rest.split(' := ')
    const call = { toolCallId: `edit-${path}`, title: `Edit ${path}`, kind: 'edit', content: [{ type: 'diff', path, oldText: null, newText: text }], locations: [{ path }] }
    update(id, { sessionUpdate: 'tool_call', status: 'pending', ...call })
    const outcome = outcomeOf(await permission(id, call))
    const written = outcome === 'yes' ? await ask('fs/write_text_file', { sessionId: id, path, content: text }) : { error: { message: 'not written' } }
    update(id, { sessionUpdate: 'tool_call_update', toolCallId: `edit-${path}`, status: written.error === undefined ? 'completed' : 'failed' })
    chunk(id, written.error === undefined ? 'Written.' : `Not written: ${written.error.message}`)
  },
  async trace (id) { chunk(id, `Trace: ${sessions.get(id).trace}`) },
  async storm (id, rest) {
    const outcomes = await Promise.all(Array.from({ length: Number(rest) }, async (_, index) => outcomeOf(await permission(id, { toolCallId: `storm-${index}`, title: `touch ${index}`, kind: 'execute', rawInput: { command: `touch ${index}` } }))))
    chunk(id, `${outcomes.filter((outcome) => outcome === 'yes').length} allowed`)
  },
  async read (id, path) {
    const { result, error } = await ask('fs/read_text_file', { sessionId: id, path })
    chunk(id, error === undefined ? `Read: ${result.content}` : `Refused: ${error.message}`)
  },
  async write (id, rest) {
    const [path, content] = rest.split(' := ')
    const { error } = await ask('fs/write_text_file', { sessionId: id, path, content })
    chunk(id, error === undefined ? 'Written.' : `Refused: ${error.message}`)
  },
  async terminal (id, command) {
    const { result, error } = await ask('terminal/create', { sessionId: id, command })
    if (error !== undefined) return chunk(id, `Refused: ${error.message}`)
    const { terminalId } = result
    const exit = await ask('terminal/wait_for_exit', { sessionId: id, terminalId })
    const { result: { output } } = await ask('terminal/output', { sessionId: id, terminalId })
    await ask('terminal/release', { sessionId: id, terminalId })
    chunk(id, `Exit ${exit.result.exitCode}: ${output.trim()}`)
  },
  async elicit (id) {
    const { result } = await ask('elicitation/create', { sessionId: id, mode: 'form', message: 'Which colour?', requestedSchema: { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'blue'] } }, required: ['colour'] } })
    chunk(id, `${result.action} ${result.content?.colour ?? ''}`)
  },
  /** Anything that a hostile agent might do: the rest is a program. */
  async script (id, rest) {
    const { constructor: Program } = async function () {}
    await new Program('id', 'say', 'ask', 'update', 'chunk', 'permission', 'outcomeOf', 'pause', 'require', rest)(id, say, ask, update, (text) => chunk(id, text), permission, outcomeOf, pause, createRequire(import.meta.url))
  },
  async hang () { await new Promise(() => {}) },
  /** Works until it is told to stop. */
  async wait (id) {
    chunk(id, 'Waiting.')
    await new Promise((resolve) => waiting.set(id, resolve))
  },
  async die () {
    process.stderr.write('out of luck\n')
    process.exit(3)
  },
  async garbage (id) {
    process.stdout.write('this is no message\n[1,2,3]\n{"half":\n')
    chunk(id, 'After the garbage.')
  },
  async huge () {
    const piece = 'x'.repeat(1024 * 1024)
    for (let megabytes = 0; megabytes < 100; megabytes++) if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  },
  async fail () { throw new Error('429 rate limit reached') },
  async nothing () {}
}

async function prompt ({ sessionId: id, prompt: blocks, _meta: meta }) {
  const text = blocks.filter(({ type }) => type === 'text').map((block) => block.text).join('\n')
  sessions.get(id).said.push(text.replaceAll('\n', ' '))
  sessions.get(id).trace = meta?.traceparent ?? 'none'
  remember({ id, text })
  cancelled.delete(id)
  for (const line of blocks.filter(({ type }) => type === 'text').at(-1).text.split('\n')) {
    const [word, ...rest] = line.split(' ')
    const doing = doings[word]
    if (doing === undefined) continue
    await Promise.race([doing(id, rest.join(' '), blocks), new Promise((resolve) => { if (word !== 'hang') waiting.set(id, resolve) })])
    if (cancelled.has(id)) return { stopReason: 'cancelled' }
  }
  return { stopReason: 'end_turn', ...(text.includes('usage') ? { usage: { totalTokens: 120, inputTokens: 100, outputTokens: 20, cachedReadTokens: 40 } } : {}) }
}

const methods = {
  async initialize ({ protocolVersion }) {
    if (fault === 'silent') await new Promise(() => {})
    return {
      protocolVersion: fault === 'version' ? 7 : protocolVersion,
      agentInfo: { name: 'scripted', version: '1.2.3' },
      agentCapabilities: { loadSession: state !== undefined, promptCapabilities: { image: true }, ...process.env.AGENT_HTTP !== undefined && { mcpCapabilities: { http: true } } },
      authMethods: [{ id: 'login', name: 'Log in with a browser' }]
    }
  },
  async 'session/new' ({ cwd, mcpServers }) {
    if (fault === 'unopened') await new Promise(() => {})
    if (fault === 'auth') throw Object.assign(new Error('Authentication required'), { code: -32_000 })
    const sessionId = `s-${process.pid}-${sessions.size + 1}`
    const session = opened(sessionId)
    Object.assign(session, { cwd, mcpServers })
    return { sessionId, configOptions: optionsOf(session) }
  },
  'session/load' ({ sessionId }) {
    const said = remembered().filter(({ id }) => id === sessionId)
    if (said.length === 0) throw Object.assign(new Error('Session not found'), { code: -32_002 })
    const session = opened(sessionId)
    for (const { text } of said) {
      session.said.push(text)
      update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } })
      chunk(sessionId, 'what I said then')
    }
    return { configOptions: optionsOf(session) }
  },
  'session/set_config_option' ({ sessionId, configId, value }) {
    const session = sessions.get(sessionId)
    if (configId !== 'mode' || process.env.AGENT_STUBBORN === undefined) session[configId] = value
    return { configOptions: optionsOf(session) }
  },
  'session/prompt': prompt
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) {
    answers.get(id)?.({ result, error })
    return
  }
  if (method === 'session/cancel') {
    if (fault === 'deaf') return
    cancelled.add(params.sessionId)
    waiting.get(params.sessionId)?.()
    return
  }
  Promise.resolve().then(async () => await (methods[method] ?? (() => { throw Object.assign(new Error('Method not found'), { code: -32_601 }) }))(params))
    .then((answer) => say({ id, result: answer }), (problem) => say({ id, error: { code: problem.code ?? -32_603, message: problem.message } }))
}).on('close', () => process.exit(0))
