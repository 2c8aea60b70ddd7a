import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '#test'
import { startModelServer } from '../support/acp/model-server.js'
import { startAgent, type AgentService } from '../support/acp/agents.js'
import { installed, realAgents } from '../support/acp/real-agents.js'
import { eventually } from '../support/chat.js'

// Real programs from npm, with a model on this machine: the terminal begins a conversation, the service continues it in the sandbox, and
// the terminal finds what was added. On request, like real-agents.slow.test.ts:
// AGENTS_FROM_NPM=/tmp/agents npm run test:only -- test/foreign/real-attached.slow.test.ts

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire

const scratch = process.env.AGENTS_FROM_NPM
const only = process.env.AGENT_ONLY
const run = promisify(execFile)

/** Arguments for one message in a terminal: in a new conversation, or in an existing one. */
const terminals: Readonly<Record<string, (message: string, session: string | null) => string[]>> = {
  'gemini-cli': (message, session) => [...session === null ? [] : ['-r', session], '-p', message],
  opencode: (message, session) => ['run', ...session === null ? [] : ['-s', session], message]
}

for (const agent of realAgents.filter(({ id }) => terminals[id] !== undefined)) {
  const { id, name, args = [], env, prepare, hasOwnModel = false } = agent
  const skip = scratch === undefined ? 'set AGENTS_FROM_NPM to a folder to install real agents into' : only !== undefined && only !== id
  t.test(`${name}: a conversation of the terminal is gone on with, in both directions`, { skip }, async (t) => {
    // The sandbox has its own `/tmp`.
    const folder = mkdtempSync(join(homedir(), '.real-attached-'))
    t.teardown(() => { execFileSync('rm', ['-rf', folder]) })
    const work = join(folder, 'engine')
    mkdirSync(work)
    const model = await startModelServer({ say: 'Woven.' })
    t.teardown(model.close)
    prepare?.(folder, model.url)
    if (id === 'gemini-cli') {
      mkdirSync(join(folder, '.gemini'))
      writeFileSync(join(folder, '.gemini', 'settings.json'), '{"security":{"auth":{"selectedType":"gemini-api-key"}}}')
    }
    const command = installed(agent, scratch!)
    const variables = { HOME: folder, ...env(model.url, '') }
    const terminal = async (message: string, session: string | null, say: string): Promise<string> => {
      model.want({ say })
      const [program = '', ...first] = command
      const ended = run(program, [...first, ...terminals[id]!(message, session)], { cwd: work, env: { PATH: process.env.PATH, ...variables }, timeout: 120_000 })
      // It waits for piped input.
      ended.child.stdin?.end()
      return (await ended).stdout
    }
    await terminal('Weave a carpet', null, 'Woven.')

    const service: AgentService = await startAgent(t, {
      agent: undefined, agents: { [id]: { command: [...command, ...args], env: variables, ...hasOwnModel && { network: ['public', new URL(model.url).host] } } }
    }, { folder, env: { SVC_WEBUI_SANDBOX: '1' }, agentTiming: { helloMs: 120_000 } })
    const listed = async (): Promise<Row | undefined> => {
      await service.app.foreign.refresh()
      return (await service.get('/api/sessions?sidebar_source=cli')).body.sessions[0]
    }
    const row = await eventually('it to be listed', listed) as Row
    const session = row.session_id as string
    t.match(row, { message_count: 2, workspace: work, input_tokens: 100, output_tokens: 10, read_only: true })
    const shown = async (): Promise<string[]> => ((await service.session(session)).messages as Row[]).map(({ role, content }) => `${role}: ${String(content).replaceAll('"', '')}`)
    t.same(await shown(), ['user: Weave a carpet', 'assistant: Woven.'])
    // Gemini CLI cannot be attached in the first minute.
    const attached = await eventually('it to be attached', async () => {
      const answer = await service.post('/api/session/attach', { session_id: session })
      t.comment(JSON.stringify(answer.body).slice(0, 200))
      return answer.status === 200 && answer
    })
    t.match(attached, { status: 200, body: { session: { session_id: session, read_only: false, message_count: 2 } } })

    model.want({ say: 'From the phone.' })
    const before = model.bodies.length
    const turn = await service.turn(session, 'And in red?')
    t.match(turn.text, /From the phone\./, JSON.stringify(turn.last.data).slice(0, 300))
    t.match(model.bodies.slice(before).join('\n'), /Weave a carpet/, 'its model knows what was said')
    t.notMatch(model.bodies.slice(before).join('\n'), /has gone on without you/, 'out of its own session')

    await terminal('And in blue?', session, 'From the terminal.')
    t.match(model.bodies.at(-1) ?? '', /And in red\?[^]*From the phone\./, 'the terminal has what was added here')
    const late = await service.post('/api/chat/start', { session_id: session, message: 'Too late.' })
    t.match(late, { status: 409, body: { code: 'terminal_wrote' } }, JSON.stringify(late.body))
    t.same(await shown(), ['user: Weave a carpet', 'assistant: Woven.', 'user: And in red?', 'assistant: From the phone.', 'user: And in blue?', 'assistant: From the terminal.'])
    model.want({ command: 'echo made > made-by-agent' })
    const over = new AbortController()
    const answering = (async () => {
      while (!over.signal.aborted) {
        const { pending } = (await service.get(`/api/approval/pending?session_id=${session}`)).body
        if (pending !== null) await service.respond(session, 'once', pending.approval_id)
        await new Promise((resolve) => { setTimeout(resolve, 200) })
      }
    })()
    const acted = await service.turn(session, 'Make it.').finally(() => over.abort())
    await answering
    t.match(acted.text, /It is done\./, JSON.stringify(acted.last.data).slice(0, 300))
    const count = (await service.session(session)).message_count
    await service.app.attached.refresh()
    t.equal((await service.session(session)).message_count, count, 'what its agent has written is known already')
  })
}
