// An agent of another maker that speaks version 2 of the Agent Client Protocol through the protocol's own library, over its standard input
// and output. It does what the prompt says, line by line. `AGENT_STATE` is the file in which its sessions survive its exit; with
// `AGENT_ORDER=early` it answers a prompt only once everything is done.
import { agent, agentProtocolRouter, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk/experimental/v2'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'

const state = process.env.AGENT_STATE
const isEarly = process.env.AGENT_ORDER === 'early'
const sessions = new Map()
const remember = (entry) => { if (state !== undefined) appendFileSync(state, `${JSON.stringify(entry)}\n`) }
const remembered = () => state !== undefined && existsSync(state) ? readFileSync(state, 'utf8').trim().split('\n').map((line) => JSON.parse(line)) : []
const base64 = (text) => Buffer.from(text).toString('base64')
const modes = ['ask', 'plan', 'yolo']
const optionsOf = ({ model, mode }) => [
  { configId: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: [{ value: 'small', name: 'Small' }, { value: 'large', name: 'Large' }] },
  { configId: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: mode, options: modes.map((value) => ({ value, name: value })) }
]
const availableCommands = [{ type: 'command', name: 'review', description: 'Looks at the changes', input: { type: 'text', hint: 'what' } }]
const permissionOptions = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' }, { optionId: 'ever', name: 'Always allow', kind: 'allow_always' }, { optionId: 'no', name: 'Reject', kind: 'reject_once' }
]
let messages = 0

class Session {
  constructor (id, cwd, mcpServers = []) {
    Object.assign(this, { id, cwd, mcpServers, model: 'small', mode: 'ask', said: [], stop: null, message: '' })
  }

  update (update) { return this.client.notify(methods.client.session.update, { sessionId: this.id, update }) }

  async say (text, kind = 'agent_message_chunk') { await this.update({ sessionUpdate: kind, messageId: this.message, content: { type: 'text', text } }) }

  async permission (subject, title = 'May it?', description) {
    const { outcome } = await this.client.request(methods.client.session.requestPermission, { sessionId: this.id, title, description, subject, options: permissionOptions })
    return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome
  }
}

const doings = {
  async say (session, rest) { for (const word of rest.split(' ')) await session.say(`${word} `) },
  async think (session, rest) { await session.say(rest, 'agent_thought_chunk') },
  /** Sends a message in pieces and then as a whole, with more after it; and one only as a whole. */
  async whole (session, rest) {
    const [first] = rest.split(' ')
    await session.say(first)
    await session.update({ sessionUpdate: 'agent_message', messageId: session.message, content: [{ type: 'text', text: rest }] })
    await session.update({ sessionUpdate: 'agent_message', messageId: session.message, content: [{ type: 'text', text: rest }] })
    await session.update({ sessionUpdate: 'agent_message', messageId: `${session.message}-2`, content: [{ type: 'text', text: ' And more.' }] })
  },
  async recall (session) { await session.say(`I remember: ${session.said.join(' | ')}`) },
  async images (session, rest, prompt) { await session.say(`${prompt.filter(({ type }) => type === 'image').length} images`) },
  async servers (session) { await session.say(JSON.stringify(session.mcpServers)) },
  async options (session) { await session.say(`model ${session.model}, mode ${session.mode}`) },
  async plan (session, rest) { await session.update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: rest.split('; ').map((content, index) => ({ content, priority: 'medium', status: index === 0 ? 'in_progress' : 'pending' })) } }) },
  async usage (session) { await session.update({ sessionUpdate: 'usage_update', used: 5_000, size: 200_000, cost: { amount: 0.25, currency: 'USD' } }) },
  async notice (session, rest) { await session.update({ sessionUpdate: 'notice', severity: 'warning', title: rest }) },
  /** Makes a call with a terminal of the agent's own, whose output comes in pieces. */
  async run (session, command) {
    await session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'run-1', title: `Run ${command}`, kind: 'execute', status: 'pending', rawInput: { command } })
    const outcome = await session.permission({ type: 'tool_call', toolCall: { toolCallId: 'run-1' } })
    await session.update({ sessionUpdate: 'terminal_update', terminalId: 't1', command, cwd: session.cwd })
    await session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'run-1', status: 'in_progress', content: [{ type: 'terminal', terminalId: 't1' }] })
    for (const piece of ['the answer ', `was ${outcome}`]) await session.update({ sessionUpdate: 'terminal_output_chunk', terminalId: 't1', data: base64(piece) })
    await session.update({ sessionUpdate: 'terminal_update', terminalId: 't1', exitStatus: { exitCode: outcome === 'yes' ? 0 : 3 } })
    await session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'run-1', status: outcome === 'yes' ? 'completed' : 'failed' })
    await session.say(`Run: ${outcome}.`)
  },
  /** Asks for permission for a command that belongs to no call. */
  async command (session, command) { await session.say(`Command: ${await session.permission({ type: 'command', command, cwd: session.cwd })}.`) },
  /** Asks for permission without describing what for. */
  async bare (session, rest) { await session.say(`Bare: ${await session.permission(undefined, rest, 'Because it matters')}.`) },
  async think_command (session, command) { await session.say(`Thought: ${await session.permission({ type: 'tool_call', toolCall: { toolCallId: 'th', kind: 'think', title: 'A thought', rawInput: { command } } })}.`) },
  async edit (session, rest) {
    const [path, before, after] = rest.split(' := ')
    const name = path.split('/').at(-1)
    const patch = { format: 'git_patch', text: `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,1 +1,1 @@\n-${before}\n+${after}\n` }
    const outcome = await session.permission({ type: 'tool_call', toolCall: { toolCallId: 'edit-1', title: `Edit ${name}`, kind: 'edit', content: [{ type: 'diff', changes: [{ operation: 'modify', path }], patch }] } })
    await session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'edit-1', status: 'completed' })
    await session.say(`Edit: ${outcome}.`)
  },
  /** Changes a file without saying what changes, and calls it reading. */
  async blind (session, path) { await session.say(`Blind: ${await session.permission({ type: 'tool_call', toolCall: { toolCallId: 'blind-1', title: 'Look', kind: 'read', content: [{ type: 'diff', changes: [{ operation: 'modify', path }] }] } })}.`) },
  async pieces (session, rest) {
    for (const text of rest.split(' ')) await session.update({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 'pieces', content: { type: 'content', content: { type: 'text', text } } })
    await session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'pieces', title: 'Pieces', kind: 'other', status: 'completed' })
  },
  async elicit (session) {
    const answer = await session.client.request(methods.client.elicitation.create, { sessionId: session.id, mode: 'form', message: 'Which colour?', requestedSchema: { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'blue'] } }, required: ['colour'] } })
    await session.say(`${answer.action} ${answer.content?.colour ?? ''}`)
  },
  /** Uses a method of the first version that this one does not have. */
  async file (session, path) {
    const answer = await session.client.request('fs/read_text_file', { sessionId: session.id, path }).catch((error) => ({ refused: error.message }))
    await session.say(answer.refused === undefined ? `Read: ${answer.content}` : `Refused: ${answer.refused}`)
  },
  /** Sends states that do not end anything, while it works. */
  async snapshots (session) {
    await session.update({ sessionUpdate: 'state_update', state: 'running' })
    await session.update({ sessionUpdate: 'state_update', state: 'requires_action' })
    await session.update({ sessionUpdate: 'state_update', state: 'running' })
    await session.say('Still here.')
  },
  async wait (session) {
    await session.say('Waiting.')
    await new Promise((resolve) => { session.stop = resolve })
  },
  /** Works until it is told to stop, and takes its time to stop. */
  async linger (session) {
    await session.say('Lingering.')
    await new Promise((resolve) => { session.stop = resolve })
    await new Promise((resolve) => { setTimeout(resolve, 300) })
  },
  async mode (session, mode) {
    session.mode = mode
    await session.update({ sessionUpdate: 'config_option_update', configOptions: optionsOf(session) })
  },
  async die () {
    process.stderr.write('out of luck\n')
    process.exit(3)
  },
  async fail () { throw Object.assign(new Error('429 rate limit reached'), { code: -32_603 }) },
  async nothing () {}
}

async function work (session, prompt) {
  session.isCancelled = false
  await session.update({ sessionUpdate: 'state_update', state: 'running' })
  let stop = { stopReason: 'end_turn' }
  try {
    for (const line of prompt.filter(({ type }) => type === 'text').at(-1).text.split('\n')) {
      const [word, ...rest] = line.split(' ')
      await doings[word]?.(session, rest.join(' '), prompt)
      if (session.isCancelled) break
    }
    if (session.isCancelled) stop = { stopReason: 'cancelled' }
  } catch (error) {
    stop = { stopReason: 'error', error: { code: error.code ?? -32_603, message: error.message } }
  }
  await session.update({ sessionUpdate: 'state_update', state: 'idle', ...stop })
}

const known = (id) => sessions.get(id) ?? (() => { throw RequestError.resourceNotFound(id) })()

const second = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 2, info: { name: 'scripted', title: 'Scripted', version: '2.0.0' },
    capabilities: { session: { prompt: { image: {} }, mcp: process.env.AGENT_NO_STDIO === undefined ? { stdio: {} } : {} } }, authMethods: [{ methodId: 'login', type: 'agent', name: 'Log in with a browser' }]
  }))
  .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers }, client }) => {
    const session = new Session(`s-${process.pid}-${sessions.size + 1}`, cwd, mcpServers)
    session.client = client
    sessions.set(session.id, session)
    return { sessionId: session.id, configOptions: optionsOf(session), availableCommands }
  })
  .onRequest(methods.agent.session.resume, async ({ params: { sessionId, cwd, mcpServers }, client }) => {
    const said = remembered().filter(({ id }) => id === sessionId)
    if (said.length === 0) throw RequestError.resourceNotFound(sessionId)
    const session = new Session(sessionId, cwd, mcpServers)
    session.client = client
    session.said = said.map(({ text }) => text)
    sessions.set(sessionId, session)
    await session.update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' })
    return { configOptions: optionsOf(session), availableCommands }
  })
  .onRequest(methods.agent.session.list, () => ({ sessions: [...new Set(remembered().map(({ id }) => id))].map((sessionId) => ({ sessionId, cwd: '/' })) }))
  .onRequest(methods.agent.session.close, ({ params: { sessionId } }) => { sessions.delete(sessionId) })
  .onRequest(methods.agent.session.setConfigOption, ({ params: { sessionId, configId, value } }) => {
    const session = known(sessionId)
    session[configId] = value
    return { configOptions: optionsOf(session) }
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => {
    const session = known(sessionId)
    const text = prompt.filter(({ type }) => type === 'text').map((block) => block.text).join('\n')
    session.said.push(text.replaceAll('\n', ' '))
    remember({ id: sessionId, text })
    const messageId = `m${++messages}`
    session.message = `${messageId}-answer`
    await session.update({ sessionUpdate: 'user_message', messageId, content: prompt })
    if (isEarly) await work(session, prompt)
    else setImmediate(work, session, prompt)
    return { messageId }
  })
  .onRequest(methods.agent.auth.login, () => {})
  .onRequest(methods.agent.auth.logout, () => {})
  .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => {
    const session = sessions.get(sessionId)
    if (session === undefined || process.env.AGENT_FAULT === 'deaf') return
    session.isCancelled = true
    session.stop?.()
  })

await agentProtocolRouter().withV2(second).connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))).closed
process.exit(0)
