// An agent of another maker that keeps its sessions as Claude Code does (KEEPS=claude), Codex, Gemini CLI or OpenCode: it takes up those
// that its own program has written, and what it adds is found there again. A prompt is `say words`, `wait`, `recall`, `until file` or `late words`.
import { setTimeout as delay } from 'node:timers/promises'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openCodeFile } from './opencode-file.js'

const keeps = process.env.KEEPS
const method = process.env.TAKES_UP ?? 'load'
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const chunk = (sessionId, text) => say({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } })
const sessions = new Map()
const waiting = new Map()

function files (folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name))
}
const root = join(process.env.HOME, { claude: '.claude/projects', codex: '.codex/sessions', gemini: '.gemini/tmp', opencode: '.local/share/opencode' }[keeps])
const openCode = keeps === 'opencode' ? openCodeFile(process.env.HOME) : null
const fileOf = (id) => !existsSync(root) ? undefined : keeps === 'opencode' ? join(root, 'opencode.db') : files(root).find((path) => path.endsWith(`${keeps === 'gemini' ? id.slice(0, 8) : id}.jsonl`))
const linesOf = (path) => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const textOf = (content) => typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')
function saidIn (entry) {
  if (keeps === 'gemini') return entry.type === 'user' ? textOf(entry.content) : null
  if (keeps === 'claude') return entry.type === 'user' ? textOf(entry.message.content) : null
  return entry.payload?.type === 'message' && entry.payload.role === 'user' ? textOf(entry.payload.content) : null
}

function add (session, role, text) {
  if (openCode !== null) {
    session.last = openCode.put(session.id, role, text, { parent: session.last })
    return
  }
  const timestamp = new Date().toISOString()
  const entry = keeps === 'gemini'
    ? { id: randomUUID(), timestamp, type: role === 'user' ? 'user' : 'gemini', content: role === 'user' ? [{ text }] : text }
    : keeps === 'claude'
      ? { type: role, uuid: randomUUID(), parentUuid: session.last ?? null, timestamp, cwd: session.cwd, sessionId: session.id, message: role === 'user' ? { role, content: [{ type: 'text', text }] } : { id: `msg_${randomUUID()}`, role, model: 'scripted', stop_reason: 'end_turn', content: [{ type: 'text', text }] } }
      : { timestamp, type: 'response_item', payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] } }
  session.last = entry.uuid
  appendFileSync(session.path, `${JSON.stringify(entry)}\n`)
}
const pace = (session, type) => { if (keeps === 'codex') appendFileSync(session.path, `${JSON.stringify({ timestamp: new Date().toISOString(), type: 'event_msg', payload: { type } })}\n`) }

/** Allows one program at a time, as Codex does. */
function lock (path) {
  const holder = existsSync(`${path}.lock`) ? Number(readFileSync(`${path}.lock`, 'utf8')) : process.pid
  if (holder !== process.pid && isAlive(holder)) throw new Error('this thread already has an active writer')
  writeFileSync(`${path}.lock`, String(process.pid))
}
const isAlive = (pid) => { try { return process.kill(pid, 0) } catch { return false } }

function open (id, cwd) {
  const path = fileOf(id)
  if (path === undefined) throw Object.assign(new Error('Session not found'), { code: -32_002 })
  lock(path)
  const lines = openCode === null ? linesOf(path) : []
  const session = { id, path, cwd, said: openCode?.said(id) ?? lines.map(saidIn).filter((text) => text !== null), last: lines.findLast(({ uuid }) => uuid !== undefined)?.uuid }
  sessions.set(id, session)
  return session
}

async function prompt ({ sessionId, prompt: blocks }) {
  const session = sessions.get(sessionId)
  const text = textOf(blocks)
  pace(session, 'task_started')
  add(session, 'user', text)
  session.said.push(text)
  const [word, ...rest] = blocks.at(-1).text.split(' ')
  const said = word === 'recall' ? `I know: ${session.said.slice(0, -1).join(' | ')}` : rest.join(' ')
  if (word === 'wait') {
    chunk(sessionId, 'Waiting for ')
    await new Promise((resolve) => waiting.set(sessionId, resolve))
    if (session.isCancelled) {
      session.isCancelled = false
      return { stopReason: 'cancelled' }
    }
  }
  if (word === 'until') while (!existsSync(rest[0])) await delay(20)
  if (word === 'late') {
    // Writes all of it to the file, and sends only a part.
    chunk(sessionId, said.slice(0, said.length / 2))
    add(session, 'assistant', said)
    await new Promise(() => {})
  }
  chunk(sessionId, said)
  add(session, 'assistant', said)
  pace(session, 'task_complete')
  return { stopReason: 'end_turn' }
}

const takeUp = ({ sessionId, cwd }) => {
  const session = open(sessionId, cwd)
  // As some agents do: repeats the whole conversation.
  if (method === 'load') for (const text of session.said) chunk(sessionId, `again: ${text}`)
  return { modes }
}
const mode = { claude: 'default', codex: 'auto', gemini: 'default', opencode: 'build' }[keeps]
const modes = { currentModeId: mode, availableModes: [{ id: mode, name: 'Asks' }] }

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, agentInfo: { name: 'keeping', version: '1.0.0' },
    agentCapabilities: { ...method === 'load' && { loadSession: true }, ...method === 'resume' && { sessionCapabilities: { resume: {}, close: {} } } }
  }),
  'session/new': () => ({ sessionId: randomUUID(), modes }),
  'session/load': takeUp,
  'session/resume': takeUp,
  'session/close': ({ sessionId }) => { sessions.delete(sessionId); return {} },
  'session/set_mode': () => ({}),
  'session/prompt': prompt
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method: name, params } = JSON.parse(line)
  if (name === 'session/cancel') {
    const session = sessions.get(params.sessionId)
    if (session !== undefined) session.isCancelled = true
    waiting.get(params.sessionId)?.()
    return
  }
  if (name === undefined) return
  Promise.resolve().then(() => (methods[name] ?? (() => { throw Object.assign(new Error('Method not found'), { code: -32_601 }) }))(params))
    .then((result) => say({ id, result }), (error) => say({ id, error: { code: error.code ?? -32_603, message: error.message } }))
}).on('close', () => process.exit(0))
