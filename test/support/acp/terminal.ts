import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Test } from '#test'
import { asset } from '../../../services/ground/assets.js'
import { temporaryFolder } from '../folder.js'

export type Entry = Record<string, unknown>

/** Id of that conversation, in both programs. */
export const terminalId = '019d6057-5b00-70f0-bed7-96d71b8757fd'
const program = asset('test/support/acp/keeping-agent.js')

export interface Terminal {
  folder: string
  work: string
  file: string
  /** Writes as the maker's own program does: a message, and its answer, if given. */
  says (message: string, answer?: string): void
  lines (): Entry[]
  /** Configuration for a service with the agent of the same maker. */
  config: { agents: Record<string, unknown>, agent: undefined }
}

/** Creates a conversation in a file of Claude Code or Codex, in a folder of its own: the test's or the given one. */
export function terminal (where: Test | { folder: string }, keeps: 'claude' | 'codex', env: Record<string, string> = {}): Terminal {
  const folder = 'folder' in where ? where.folder : temporaryFolder(where, 'attached')
  const work = join(folder, 'engine')
  mkdirSync(work, { recursive: true })
  const file = keeps === 'claude'
    ? join(folder, '.claude', 'projects', work.replaceAll(/[^A-Za-z0-9]/g, '-'), `${terminalId}.jsonl`)
    : join(folder, '.codex', 'sessions', '2026', '02', '03', `rollout-2026-02-03T10-11-12-${terminalId}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  let count = 0
  const put = (entry: Entry): void => appendFileSync(file, `${JSON.stringify({ timestamp: new Date().toISOString(), ...entry })}\n`)
  const item = (role: string, text: string): void => put({ type: 'response_item', payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] } })
  const pace = (type: string): void => put({ type: 'event_msg', payload: { type } })
  const claude = (type: string, message: Entry): void => put({ type, uuid: `term-${++count}`, parentUuid: count === 1 ? null : `term-${count - 1}`, cwd: work, sessionId: terminalId, isSidechain: false, message })
  if (keeps === 'codex') put({ type: 'session_meta', payload: { id: terminalId, timestamp: '2026-02-03T10:11:12.000Z', cwd: work, originator: 'codex_cli_rs', source: 'cli' } })
  const says = (message: string, answer?: string): void => {
    if (keeps === 'codex') {
      pace('task_started')
      item('user', message)
      if (answer === undefined) return
      item('assistant', answer)
      return pace('task_complete')
    }
    claude('user', { role: 'user', content: message })
    if (answer !== undefined) claude('assistant', { id: `msg_${count}`, role: 'assistant', model: 'claude-opus-4-5', stop_reason: 'end_turn', content: [{ type: 'text', text: answer }] })
  }
  says('Weave a carpet', 'Woven.')
  const agent = { command: [process.execPath, program], name: 'Keeping', env: { HOME: folder, KEEPS: keeps, ...env } }
  return {
    folder, work, file, says, lines: () => readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Entry),
    config: { agent: undefined, agents: { [keeps === 'claude' ? 'claude-code' : 'codex']: agent } }
  }
}
