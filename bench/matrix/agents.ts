import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { startModelServer, type ModelServer } from '../../test/support/acp/model-server.js'
import { installed, type RealAgent } from '../../test/support/acp/real-agents.js'
import { writeConfig } from '../../test/support/acp/agents.js'
import { type EventReader } from '../../test/support/events.js'
import { spawnServer, type ServerProcess } from '../../test/support/server.js'
import { Aside, expect, outcomeOf, scope, steps, until, within, type Outcome, type Row, type Step } from './steps.js'

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let readers = 0

interface Turned { text: string, last: EventReader['frames'][number], cards: unknown[] }

/** An agent of another maker in its own service, with a folder in the home, because the sandbox has its own `/tmp`. */
class Trial {
  readonly scope = scope()
  readonly folder = mkdtempSync(join(homedir(), '.matrix-'))
  readonly home = join(this.folder, 'agent-home')
  service!: ServerProcess

  constructor (readonly agent: RealAgent, readonly model: ModelServer, readonly protocol: 1 | 2, command: readonly string[]) {
    const { id, env, args = [], prepare, signIn, hasOwnModel = false, config = {} } = agent
    mkdirSync(this.home)
    prepare?.(this.home, model.url)
    const variables = { HOME: this.home, ...env(model.url, dirname(dirname(command.at(-1)!))) }
    if (signIn !== undefined) execFileSync(command[0]!, [...command.slice(1), ...signIn(model.url)], { env: { PATH: process.env.PATH, ...variables }, stdio: 'ignore', timeout: 60_000 })
    const known = ['codex', 'claude-code', 'gemini-cli', 'opencode'].includes(id)
    writeConfig(this.folder, {
      agents: {
        [id]: {
          ...!known && { name: agent.name }, command: [...command, ...args], env: variables, start_timeout: 300, ...hasOwnModel && { network: ['public', new URL(model.url).host] }, ...config,
          ...protocol === 1 && { protocol: 1 }, ...config['writable'] !== undefined && { writable: [config['writable']].flat().map((path) => String(path).replace('~', this.home)) }
        }
      },
      model: { provider: id }
    })
  }

  async start (): Promise<void> {
    this.service = await spawnServer(this.scope, this.folder, { SVC_WEBUI_SANDBOX: '1', HOME: this.folder })
    expect(this.service.url !== '', `the service did not start: ${this.service.output().slice(-300)}`)
  }

  async session (): Promise<string> {
    return (await this.service.json('/api/session/new', {})).session.session_id
  }

  async send (session: string, message: string, more: object = {}): Promise<EventReader & { streamId: string }> {
    const answer = await this.service.json('/api/chat/start', { session_id: session, message, model: `@${this.agent.id}:default`, ...more })
    expect(typeof answer.stream_id === 'string', `the message was not taken: ${JSON.stringify(answer).slice(0, 300)}`)
    const reader = await this.service.events(`/api/chat/stream?stream_id=${answer.stream_id}`, { 'user-agent': `matrix ${++readers}` })
    return Object.assign(reader, { streamId: answer.stream_id as string })
  }

  /** Like `#turn`; starts an agent again that does not come up in time on a busy machine. */
  async turn (session: string, message: string, more: object = {}): Promise<Turned> {
    for (let attempt = 1; ; attempt++) {
      const turned = await this.#turn(session, message, more)
      const { type, message: words } = turned.last.data
      if (type === 'auth_mismatch') throw new Aside('none', `${this.agent.name} wants a sign-in at its maker's: ${String(words).slice(0, 200)}`)
      if (type !== 'no_response' || attempt === 4) return turned
    }
  }

  /** Sends a message, grants every approval, and returns the last frame with the text and the prompts. */
  async #turn (session: string, message: string, more: object): Promise<Turned> {
    const reader = await this.send(session, message, more)
    const over = new AbortController()
    const cards: unknown[] = []
    const answering = (async () => {
      while (!over.signal.aborted) {
        const { pending } = await this.service.json(`/api/approval/pending?session_id=${session}`)
        if (pending !== null && pending !== undefined) {
          cards.push(pending)
          await this.service.json('/api/approval/respond', { session_id: session, choice: 'once', approval_id: pending.approval_id })
        }
        await new Promise((resolve) => { setTimeout(resolve, 200) })
      }
    })()
    await within('the end of the turn', reader.ended).finally(() => over.abort())
    await answering
    const text = reader.frames.filter(({ event }) => event === 'token').map(({ data }) => data.text).join('')
    return { text, last: reader.frames.at(-1)!, cards }
  }

  /** Returns the agent's processes, found by their home. */
  processes (): number[] {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
      try {
        return pid !== this.service.pid && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${this.home}`)
      } catch {
        return false
      }
    })
  }

  async end (): Promise<void> {
    await this.service.end('SIGTERM').catch(() => {})
    await this.scope.end()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const said = ({ text, last }: { text: string, last: EventReader['frames'][number] }, words: string): void =>
  expect(text.includes(words), `no answer: ${String(last.data.message ?? text).slice(0, 300)}`)

const scenario: Record<Step, (trial: Trial) => Promise<string | null>> = {
  async turn (trial) {
    trial.model.want({ say: 'Good morning.' })
    said(await trial.turn(await trial.session(), 'Say good morning.'), 'Good morning.')
    return null
  },
  async permission (trial) {
    const { agent: { name }, model, folder } = trial
    model.want({ command: 'touch made-by-agent' })
    const { text, last, cards } = await trial.turn(await trial.session(), 'Make the file.')
    const isMade = existsSync(join(folder, 'workspace', 'made-by-agent'))
    if (cards.length === 0 && isMade) throw new Aside('none', `${name} asks nobody before it runs a command; it works only where you have allowed that, in the sandbox.`)
    expect(cards.length > 0, `no card: ${String(last.data.message ?? text).slice(0, 300)}`)
    expect(isMade, `allowed and not done: ${String(last.data.message ?? text).slice(0, 300)}`)
    return null
  },
  async cancel (trial) {
    const { model, service } = trial
    const session = await trial.session()
    model.want('nothing')
    const before = model.bodies.length
    const reader = await trial.send(session, 'Take your time.')
    await until('the question to the model', () => model.bodies.length > before)
    await service.json('/api/chat/cancel', { stream_id: reader.streamId })
    await within('the end of the cancelled turn', reader.ended)
    expect(reader.frames.at(-1)!.event === 'cancel', `it ended with ${reader.frames.at(-1)!.event}`)
    model.want({ say: 'On again.' })
    said(await trial.turn(session, 'Go on.'), 'On again.')
    return null
  },
  async crash (trial) {
    const { model } = trial
    const session = await trial.session()
    model.want('nothing')
    const before = model.bodies.length
    const reader = await trial.send(session, 'Take your time.')
    await until('the question to the model', () => model.bodies.length > before)
    const pids = trial.processes()
    expect(pids.length > 0, 'the agent has no process')
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
    }
    await within('the end of the turn', reader.ended)
    expect(reader.frames.at(-1)!.data.type === 'interrupted', `it ended with ${JSON.stringify(reader.frames.at(-1)!.data).slice(0, 200)}`)
    model.want({ say: 'Up again.' })
    said(await trial.turn(session, 'Go on.'), 'Up again.')
    return null
  },
  async resume (trial) {
    const { model, agent: { name } } = trial
    const session = await trial.session()
    model.want({ say: 'I keep it in mind.' })
    said(await trial.turn(session, 'The word is tulip.'), 'I keep it in mind.')
    await trial.service.end('SIGTERM')
    await trial.start()
    const before = model.bodies.length
    model.want({ say: 'It was tulip.' })
    said(await trial.turn(session, 'Which word was it?'), 'It was tulip.')
    const asked = model.bodies.slice(before).join('\n')
    expect(asked.includes('The word is tulip'), 'the model was not told what was said before')
    return asked.includes('This conversation has gone on without you')
      ? `${name} does not take up its own session again; it is told what was said, as text.`
      : null
  },
  async image (trial) {
    const { model, service, agent: { name } } = trial
    const session = await trial.session()
    const form = new FormData()
    form.set('session_id', session)
    form.set('file', new Blob([Buffer.from(dot, 'base64')], { type: 'image/png' }), 'dot.png')
    const uploaded = await (await fetch(`${service.url}/api/upload`, { method: 'POST', body: form })).json() as { path: string }
    model.want({ say: 'A square.' })
    const before = model.bodies.length
    said(await trial.turn(session, 'What is this?', { attachments: [{ name: 'dot.png', path: uploaded.path, mime: 'image/png', is_image: true }] }), 'A square.')
    const asked = model.bodies.slice(before).join('\n')
    if (/"(?:image|image_url|input_image|inlineData|inline_data)"/.test(asked)) return null
    throw new Aside('none', `${name} takes no images, or its model here does not: it gets the path of the file.`)
  },
  async queue (trial) {
    const { model, service } = trial
    const session = await trial.session()
    model.want('nothing')
    const before = model.bodies.length
    const reader = await trial.send(session, 'First.')
    await until('the question to the model', () => model.bodies.length > before)
    const queued = await service.json('/api/session/queue', { session_id: session, action: 'add', message: 'Second.', model: `@${trial.agent.id}:default` })
    expect(queued.ok === true, `it was not queued: ${JSON.stringify(queued).slice(0, 200)}`)
    model.want({ say: 'Next.' })
    await service.json('/api/chat/cancel', { stream_id: reader.streamId })
    await within('the end of the first turn', reader.ended)
    await until('the answer to the second message', async () => {
      // A cancelled turn holds the queue, a moment after its last frame.
      const { held } = await service.json(`/api/session/queue?session_id=${session}`)
      if (held !== null && held !== undefined) await service.json('/api/session/queue', { session_id: session, action: 'resume' })
      const { session: { messages } } = await service.json(`/api/session?session_id=${session}`)
      return JSON.stringify(messages.slice(-2)).includes('Next.')
    })
    return null
  }
}

/** Runs the scenario with an agent: each step in its own session, in the sandbox. */
export async function agentRow (agent: RealAgent, scratch: string, protocol: 1 | 2, log?: string): Promise<Row> {
  const { name, version, licence } = agent
  const row: Row = { name: `${name} (\`${agent.package}\`)`, version, licence, protocol: '', outcomes: {} }
  const command = installed(agent, scratch)
  const model = await startModelServer({ say: '' })
  const trial = new Trial(agent, model, protocol, command)
  try {
    await trial.start()
    for (const step of steps) {
      const outcome: Outcome = await outcomeOf(async () => await scenario[step](trial))
      row.outcomes[step] = outcome
      console.log(`  ${step}: ${outcome.is}${outcome.note === undefined ? '' : ` — ${outcome.note}`}`)
      if (step === 'turn') row.protocol = `ACP ${await spoken(trial) ?? '?'}`
      if (log !== undefined) writeFileSync(join(log, `${agent.id}-${step}.json`), `[${model.bodies.splice(0).join(',\n')}]`)
      if (step === 'turn' && outcome.is !== 'pass') {
        for (const other of steps.slice(1)) row.outcomes[other] = outcome
        break
      }
    }
  } finally {
    await trial.end()
    model.close()
  }
  return row
}

async function spoken (trial: Trial): Promise<string | null> {
  const { agents } = await trial.service.json('/api/agents')
  return (agents as Array<{ id: string, protocol?: number | null }>).find(({ id }) => id === trial.agent.id)?.protocol?.toString() ?? null
}
