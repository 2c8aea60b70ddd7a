import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { writeConfig } from '../../test/support/acp/agents.js'
import { startModelServer, type ModelServer } from '../../test/support/acp/model-server.js'
import { type Json } from '../../test/support/app.js'
import { spawnServer, type ServerProcess } from '../../test/support/server.js'
import { Aside, expect, outcomeOf, scope, steps, until, within, type Row, type Step } from './steps.js'

const run = promisify(execFile)
/** A client of another maker, and what it does in each step. */
interface ForeignClient {
  name: string
  packages: string[]
  licence: string
  protocol: string
  /** Steps that it cannot do, with the reason. */
  without: Partial<Record<Step, string>>
  steps: Partial<Record<Step, (trial: ClientTrial) => Promise<string | null>>>
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A service with a scripted model, and the packages of a client. */
class ClientTrial {
  readonly scope = scope()
  readonly folder = mkdtempSync(join(homedir(), '.matrix-'))
  readonly workspace = join(this.folder, 'workspace')
  service!: ServerProcess
  #port = '0'

  constructor (readonly model: ModelServer, readonly modules: string) {
    writeConfig(this.folder, { model: { default: 'scripted', provider: 'custom', base_url: `${model.url}/v1` } })
  }

  async start (): Promise<void> {
    this.service = await spawnServer(this.scope, this.folder, { HOME: this.folder, SVC_WEBUI_PORT: this.#port })
    expect(this.service.url !== '', `the service did not start: ${this.service.output().slice(-300)}`)
    // Clients keep the address across a restart.
    this.#port = new URL(this.service.url).port
  }

  async load (name: string): Promise<Json> {
    return await import(pathToFileURL(createRequire(join(this.modules, 'x.js')).resolve(name)).href)
  }

  program (name: string): string { return join(this.modules, 'node_modules', '.bin', name) }

  async pending (): Promise<Json> {
    return await until('a card', async () => {
      const { sessions } = await this.service.json('/api/sessions')
      for (const { session_id: id } of sessions) {
        const { pending } = await this.service.json(`/api/approval/pending?session_id=${id}`)
        if (pending != null) return { ...pending, session_id: id }
      }
      return null
    })
  }

  /** Returns the newest chat. */
  async newest (): Promise<Json> {
    const { sessions: [row] } = await this.service.json('/api/sessions')
    return (await this.service.json(`/api/session?session_id=${row.session_id}`)).session
  }

  async asked (before: number): Promise<void> {
    await until('the question to the model', () => this.model.bodies.length > before)
  }

  async end (): Promise<void> {
    await this.service.end('SIGTERM').catch(() => {})
    await this.scope.end()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function restart (trial: ClientTrial): Promise<void> {
  await trial.service.end('SIGTERM')
  await trial.start()
}

const openai = async (trial: ClientTrial): Promise<Json> => {
  const { default: OpenAI } = await trial.load('openai')
  return new OpenAI({ baseURL: `${trial.service.url}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: asking })
}

/** Grants the approval that appears meanwhile. */
async function allowing<T> (trial: ClientTrial, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  const early = work.then((answer) => ({ none: JSON.stringify(answer) }), (error: unknown) => ({ none: String(error) }))
  const card = await Promise.race([trial.pending(), early])
  expect(card.none === undefined, `no card: ${String(card.none).slice(0, 300)}`)
  await trial.service.json('/api/approval/respond', { session_id: card.session_id, approval_id: card.approval_id, choice: 'once' })
  return await within('the end', work)
}

const acpx = (trial: ClientTrial, ...words: string[]): Promise<{ stdout: string }> => run(trial.program('acpx'), [
  '--cwd', trial.workspace, '--agent', `${process.execPath} ${resolve('dist/acp/main.js')}`, '--format', 'json', ...words
], { env: { PATH: process.env.PATH, HOME: trial.folder, SVC_URL: trial.service.url }, timeout: 280_000, maxBuffer: 16 << 20 })

const made = (trial: ClientTrial): void => expect(existsSync(join(trial.workspace, 'made')), 'it was allowed and not done')
/** Without this header, everything that needs an approval is denied. */
const asking = { 'x-agent-ask': 'wait' }
const waits = 'With `X-Agent-Ask: wait`: the card is in the app, and the request waits for it.'
const noQueue = 'It has no word for a message that waits; the service refuses a second turn beside the first.'

const outlived = 'It has no word for a response that outlives its request.'

type McpCall = (trial: ClientTrial, tool: string, args: Record<string, string>) => Promise<Json>

/** The steps of a client of `/mcp`, by how it calls a tool. */
const mcpSteps = (callTool: McpCall): ForeignClient['steps'] =>
  Object.fromEntries((['turn', 'permission', 'cancel', 'resume'] as const).map((step) => [step, async (trial: ClientTrial): Promise<string | null> => {
    const call = async (tool: string, args: Record<string, string>): Promise<Json> => await callTool(trial, tool, args)
    trial.model.want(step === 'permission' ? { command: 'touch made' } : { say: 'Good morning.' })
    if (step === 'permission') {
      const { session_id: id, waits_for: [card] } = await call('start_turn', { message: 'Make it' })
      await call('answer_approval', { session_id: id, approval_id: card.approval_id, choice: 'once' })
      await until('the end', async () => (await trial.newest()).active_stream_id === null)
      made(trial)
      return null
    }
    if (step === 'cancel') {
      trial.model.want('nothing')
      const before = trial.model.bodies.length
      const turn = call('start_turn', { message: 'Take your time' }).catch(() => null)
      await trial.asked(before)
      await call('cancel_turn', { session_id: (await trial.newest()).session_id })
      await within('its end', turn)
      expect((await trial.newest()).active_stream_id === null, 'the turn goes on')
      return null
    }
    const { session_id: id, answer } = await call('start_turn', { message: 'The word is tulip' })
    expect(String(answer).includes('Good morning.'), `no answer: ${String(answer)}`)
    if (step === 'turn') return null
    await restart(trial)
    await call('start_turn', { session_id: id, message: 'Which word was it' })
    expect(trial.model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
    return null
  }]))

/** A call by the library that most clients have. */
const sdkCall: McpCall = async (trial, tool, args) => {
  const { Client } = await trial.load('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await trial.load('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client({ name: 'matrix', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${trial.service.url}/mcp`)))
  try {
    return (await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 280_000 })).structuredContent
  } finally {
    await client.close()
  }
}

const clients: readonly ForeignClient[] = [
  {
    name: 'acpx', packages: ['acpx@0.19.1'], licence: 'MIT', protocol: 'ACP 1',
    without: { image: 'It sends text alone.' },
    steps: {
      async turn (trial) {
        trial.model.want({ say: 'Good morning.' })
        expect((await acpx(trial, 'exec', 'Say good morning')).stdout.includes('Good morning.'), 'no answer')
        return null
      },
      async permission (trial) {
        trial.model.want({ command: 'touch made' })
        await acpx(trial, '--approve-all', 'exec', 'Make it')
        made(trial)
        return null
      },
      async cancel (trial) {
        trial.model.want('nothing')
        const before = trial.model.bodies.length
        await acpx(trial, 'sessions', 'new')
        const turn = acpx(trial, 'prompt', 'Take your time').catch(() => null)
        await trial.asked(before)
        await acpx(trial, 'cancel')
        await until('the end of the turn', async () => (await trial.newest()).active_stream_id === null)
        await within('its end', turn)
        return null
      },
      async crash (trial) {
        trial.model.want('nothing')
        const before = trial.model.bodies.length
        const child = spawn(trial.program('acpx'), ['--cwd', trial.workspace, '--agent', `${process.execPath} ${resolve('dist/acp/main.js')}`, 'exec', 'Take your time'], { env: { PATH: process.env.PATH, HOME: trial.folder, SVC_URL: trial.service.url }, stdio: 'ignore', detached: true })
        await trial.asked(before)
        process.kill(-child.pid!, 'SIGKILL')
        const { active_stream_id: stream } = await trial.newest()
        expect(stream !== null, 'the turn ended with the editor')
        await trial.service.json('/api/chat/cancel', { stream_id: stream })
        return 'When the editor and the program are killed, the turn goes on in the service.'
      },
      async resume (trial) {
        trial.model.want({ say: 'Yes.' })
        await acpx(trial, 'sessions', 'new')
        await acpx(trial, 'prompt', 'The word is tulip')
        await restart(trial)
        await acpx(trial, 'prompt', 'Which word was it')
        expect(trial.model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
        return null
      },
      async queue (trial) {
        trial.model.want({ say: 'Yes.' })
        await acpx(trial, 'sessions', 'new')
        await Promise.all(['One', 'Two'].map(async (word) => await acpx(trial, 'prompt', word)))
        expect((await trial.newest()).messages.length >= 4, 'one of two messages was lost')
        return 'It keeps the second message until the first one is answered.'
      }
    }
  },
  {
    name: 'OpenAI for Node', packages: ['openai@7.59.0'], licence: 'Apache-2.0', protocol: '`/v1`',
    without: { queue: noQueue },
    steps: {
      async turn (trial) {
        trial.model.want({ say: 'Good morning.' })
        const client = await openai(trial)
        let text = ''
        for await (const chunk of await client.chat.completions.create({ model: 'agent', stream: true, messages: [{ role: 'user', content: 'Say good morning' }] })) text += chunk.choices[0]?.delta?.content ?? ''
        expect(text.includes('Good morning.'), `no answer: ${text}`)
        return null
      },
      async permission (trial) {
        trial.model.want({ command: 'touch made' })
        const client = await openai(trial)
        const { output_text: text } = await allowing(trial, client.responses.create({ model: 'agent', input: 'Make it' }) as Promise<Json>)
        made(trial)
        expect(text !== '', 'no answer')
        return waits
      },
      async cancel (trial) {
        trial.model.want('nothing')
        const before = trial.model.bodies.length
        const client = await openai(trial)
        const { id } = await client.responses.create({ model: 'agent', input: 'Take your time', background: true })
        await trial.asked(before)
        expect((await client.responses.cancel(id)).status === 'cancelled', 'not cancelled')
        return null
      },
      async crash (trial) {
        trial.model.want('nothing')
        const before = trial.model.bodies.length
        const client = await openai(trial)
        const { id } = await client.responses.create({ model: 'agent', input: 'Take your time', background: true })
        await trial.asked(before)
        await trial.service.crash()
        await trial.start()
        const again = await openai(trial)
        const { status } = await until('its end', async () => {
          const found = await again.responses.retrieve(id)
          return found.status === 'in_progress' || found.status === 'queued' ? null : found
        })
        return `After a kill of the service, the response is there and says "${status}".`
      },
      async resume (trial) {
        trial.model.want({ say: 'Yes.' })
        const { id } = await (await openai(trial)).responses.create({ model: 'agent', input: 'The word is tulip' })
        await restart(trial)
        await (await openai(trial)).responses.create({ model: 'agent', input: 'Which word was it', previous_response_id: id })
        expect(trial.model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
        return null
      },
      async image (trial) {
        trial.model.want({ say: 'A dot.' })
        const client = await openai(trial)
        await client.chat.completions.create({ model: 'agent', messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] }] })
        expect(trial.model.bodies.at(-1)!.includes('image_url'), 'the model saw no image')
        return null
      }
    }
  },
  {
    name: 'OpenAI Agents', packages: ['@openai/agents@0.20.0', 'openai@7.59.0'], licence: 'MIT', protocol: '`/v1/responses`',
    without: { queue: noQueue, crash: 'As the library of OpenAI, which it uses.', cancel: 'As the library of OpenAI, which it uses.' },
    steps: Object.fromEntries((['turn', 'permission', 'resume', 'image'] as const).map((step) => [step, async (trial: ClientTrial): Promise<string | null> => {
      const { Agent, run: runAgent, setDefaultOpenAIClient, setTracingDisabled } = await trial.load('@openai/agents')
      setTracingDisabled(true)
      const client = await openai(trial)
      setDefaultOpenAIClient(client)
      const agent = new Agent({ name: 'Ours', model: 'agent' })
      trial.model.want(step === 'permission' ? { command: 'touch made' } : { say: 'Good morning.' })
      if (step === 'permission') {
        await allowing(trial, runAgent(agent, 'Make it') as Promise<Json>)
        made(trial)
        return waits
      }
      const input = step === 'image' ? [{ role: 'user', content: [{ type: 'input_text', text: 'What is this' }, { type: 'input_image', image: `data:image/png;base64,${png}` }] }] : 'The word is tulip'
      const first = await runAgent(agent, input)
      expect(String(first.finalOutput).includes('Good morning.'), `no answer: ${String(first.finalOutput)}`)
      if (step === 'image') expect(trial.model.bodies.at(-1)!.includes('image_url'), 'the model saw no image')
      if (step !== 'resume') return null
      await restart(trial)
      setDefaultOpenAIClient(await openai(trial))
      await runAgent(agent, 'Which word was it', { previousResponseId: first.lastResponseId })
      expect(trial.model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
      return null
    }]))
  },
  {
    name: 'AI SDK', packages: ['ai@7.0.173', '@ai-sdk/openai-compatible'], licence: 'Apache-2.0', protocol: '`/v1/chat/completions`',
    without: { queue: noQueue, crash: outlived },
    steps: Object.fromEntries((['turn', 'permission', 'cancel', 'resume', 'image'] as const).map((step) => [step, async (trial: ClientTrial): Promise<string | null> => {
      const { generateText, streamText } = await trial.load('ai')
      const { createOpenAICompatible } = await trial.load('@ai-sdk/openai-compatible')
      const modelOf = (): Json => createOpenAICompatible({ name: 'ours', baseURL: `${trial.service.url}/v1`, apiKey: 'none', headers: asking })('agent')
      const { model } = trial
      if (step === 'cancel') {
        model.want('nothing')
        const before = model.bodies.length
        const stop = new AbortController()
        const reading = Promise.resolve(streamText({ model: modelOf(), prompt: 'Take your time', abortSignal: stop.signal }).text).catch(() => {})
        await trial.asked(before)
        stop.abort()
        await reading
        await until('the end of the turn', async () => (await trial.newest()).active_stream_id === null)
        return null
      }
      model.want(step === 'permission' ? { command: 'touch made' } : { say: 'Good morning.' })
      if (step === 'permission') {
        await allowing(trial, generateText({ model: modelOf(), prompt: 'Make it' }) as Promise<Json>)
        made(trial)
        return waits
      }
      const messages: Json[] = [{ role: 'user', content: step === 'image' ? [{ type: 'text', text: 'What is this' }, { type: 'file', mediaType: 'image/png', data: Buffer.from(png, 'base64') }] : 'The word is tulip' }]
      const { text } = await generateText({ model: modelOf(), messages })
      expect(text.includes('Good morning.'), `no answer: ${text}`)
      if (step === 'image') expect(model.bodies.at(-1)!.includes('image_url'), 'the model saw no image')
      if (step !== 'resume') return null
      await restart(trial)
      await generateText({ model: modelOf(), messages: [...messages, { role: 'assistant', content: text }, { role: 'user', content: 'Which word was it' }] })
      expect(model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
      return null
    }]))
  },
  {
    name: 'LangChain', packages: ['@langchain/openai@1.6.0', '@langchain/core'], licence: 'MIT', protocol: '`/v1/chat/completions`',
    without: { queue: noQueue, crash: outlived },
    steps: Object.fromEntries((['turn', 'permission', 'cancel', 'resume', 'image'] as const).map((step) => [step, async (trial: ClientTrial): Promise<string | null> => {
      const { ChatOpenAI } = await trial.load('@langchain/openai')
      const { model, service } = trial
      const chat = (): Json => new ChatOpenAI({ model: 'agent', apiKey: 'none', maxRetries: 0, configuration: { baseURL: `${service.url}/v1`, defaultHeaders: asking } })
      if (step === 'cancel') {
        model.want('nothing')
        const before = model.bodies.length
        const stop = new AbortController()
        const reading = (chat().invoke('Take your time', { signal: stop.signal }) as Promise<unknown>).catch(() => {})
        await trial.asked(before)
        stop.abort()
        await reading
        await until('the end of the turn', async () => (await trial.newest()).active_stream_id === null)
        return null
      }
      model.want(step === 'permission' ? { command: 'touch made' } : { say: 'Good morning.' })
      if (step === 'permission') {
        await allowing(trial, chat().invoke('Make it') as Promise<Json>)
        made(trial)
        return waits
      }
      const messages: Json[] = [{ role: 'user', content: step === 'image' ? [{ type: 'text', text: 'What is this' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] : 'The word is tulip' }]
      const { text } = await chat().invoke(messages)
      expect(text.includes('Good morning.'), `no answer: ${text}`)
      if (step === 'image') expect(model.bodies.at(-1)!.includes('image_url'), 'the model saw no image')
      if (step !== 'resume') return null
      await restart(trial)
      await chat().invoke([...messages, { role: 'assistant', content: text }, { role: 'user', content: 'Which word was it' }])
      expect(model.bodies.at(-1)!.includes('The word is tulip'), 'the model was not told what was said before')
      return null
    }]))
  },
  {
    name: 'MCP SDK', packages: ['@modelcontextprotocol/sdk@1.32.2'], licence: 'MIT', protocol: 'MCP',
    without: { image: 'The tools of the service take text.', queue: noQueue },
    steps: {
      ...mcpSteps(sdkCall),
      async crash (trial) {
        trial.model.want('nothing')
        const before = trial.model.bodies.length
        const turn = sdkCall(trial, 'start_turn', { message: 'Take your time' }).catch(() => null)
        await trial.asked(before)
        const { session_id: id } = await trial.newest()
        await trial.service.crash()
        await turn
        await trial.start()
        const { state, ended } = await sdkCall(trial, 'wait_for_turn', { session_id: id })
        expect(state === 'ended', `the turn is ${String(state)}`)
        return `After a kill of the service, the turn is over and says "${String(ended)}".`
      }
    }
  },
  {
    name: 'MCP Inspector', packages: ['@modelcontextprotocol/inspector@2.12.0'], licence: 'MIT', protocol: 'MCP',
    without: { image: 'The tools of the service take text.', queue: noQueue, crash: 'Each of its calls is a connection of its own.' },
    steps: mcpSteps(async (trial, tool, args) => {
      const { stdout } = await run(trial.program('mcp-inspector'), ['--cli', `${trial.service.url}/mcp`, '--transport', 'http', '--method', 'tools/call', '--tool-name', tool, ...Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`])], { env: { PATH: process.env.PATH, HOME: trial.folder }, timeout: 280_000 })
      const answer = JSON.parse(stdout.slice(stdout.indexOf('{')))
      return answer.structuredContent ?? JSON.parse(answer.content[0].text)
    })
  }
]

export const clientNames: readonly string[] = clients.map(({ name }) => name)

/** Runs the scenario with a client, against a service with a scripted model. */
export async function clientRow (name: string, scratch: string): Promise<Row> {
  const client = clients.find((one) => one.name === name)!
  const modules = join(scratch, 'clients')
  mkdirSync(modules, { recursive: true })
  const [spec = ''] = client.packages
  const bare = spec.slice(0, spec.lastIndexOf('@'))
  if (!existsSync(join(modules, 'node_modules', bare))) execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', modules, ...clients.flatMap(({ packages }) => packages)], { stdio: 'ignore' })
  const { version } = JSON.parse(readFileSync(join(modules, 'node_modules', bare, 'package.json'), 'utf8')) as { version: string }
  const row: Row = { name: `${name} (\`${bare}\`)`, version, licence: client.licence, protocol: client.protocol, outcomes: {} }
  const model = await startModelServer({ say: '' })
  const trial = new ClientTrial(model, modules)
  try {
    await trial.start()
    for (const step of steps) {
      const outcome = await outcomeOf(async () => {
        const reason = client.without[step]
        if (reason !== undefined) throw new Aside('none', reason)
        rmSync(join(trial.workspace, 'made'), { force: true })
        return await client.steps[step]?.(trial) ?? null
      })
      row.outcomes[step] = outcome
      console.log(`  ${step}: ${outcome.is}${outcome.note === undefined ? '' : ` — ${outcome.note}`}`)
    }
  } finally {
    await trial.end()
    model.close()
  }
  return row
}
