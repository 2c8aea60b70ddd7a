import { judgeMark } from '../../services/agent/engines/quoted-conversation.js'
import { start, type StartOptions, type TestLike, type TestService } from './app.js'
import { type EventReader, type ReceivedFrame } from './events.js'
import { modelEndpoint, withScripted, type ModelEndpoint, type ModelRequest, type ModelStep } from './model-endpoint.js'

export { eventually, until } from './eventually.js'

/** A model's answer to one request. */
export type ScriptedAnswer = ModelStep[] | ((request: ModelRequest) => ModelStep[] | Promise<ModelStep[]>)

export interface FinishedTurn {
  streamId: string
  reader: EventReader
  frames: ReceivedFrame[]
  /** The frames that belong to the answer, without usage figures and notices. */
  events: string[]
  last: ReceivedFrame
}

/** A service whose models answer what a test scripts. */
export interface ChatService extends TestService {
  endpoint: ModelEndpoint
  /** Returns the id of a new model that gives these answers in order; afterwards it says "Done." */
  model (...answers: ScriptedAnswer[]): string
  /** Requests to a model in turns (titles are requested from another model). */
  requests (model: string): ModelRequest[]
  /** Sets what the title model answers from now on. */
  proposeTitle (title: string | (() => Promise<string>)): void
  /** Sets the next answers of the judge of goals, in order; after them, every goal is reached. */
  judge (...answers: ScriptedAnswer[]): void
  /** Requests to the judge so far. */
  judged (): ModelRequest[]
  /** Opens a turn's stream as a new client, so that attaching again begins at the start. */
  watch (streamId: string, query?: string, headers?: Record<string, string>): Promise<EventReader>
  /** Sends a message and reads its stream to the end. */
  turn (sessionId: string, message: string, model?: string): Promise<FinishedTurn>
  /** Starts another service with the same model endpoint, on a folder that is kept. */
  again (t: TestLike, folder: string, options?: StartOptions): Promise<ChatService>
}

let clients = 0

/** Starts a service with scripted models; the endpoint's faulty models behave as their names say (`fault-…`). */
export async function startChat (t: TestLike, options: StartOptions = {}): Promise<ChatService> {
  const endpoint = await modelEndpoint(t, { models: withScripted })
  const scripts = new Map<string, ScriptedAnswer[]>()
  let title: string | (() => Promise<string>) = 'An automatic title'
  let verdicts: ScriptedAnswer[] = []
  endpoint.script((request) => {
    if (isJudging(request)) {
      const verdict = verdicts.shift() ?? [{ text: '{"verdict": "done", "reason": "It is all there."}' }]
      return typeof verdict === 'function' ? verdict(request) : verdict
    }
    if (!request.stream) return typeof title === 'string' ? [{ text: title }] : title().then((text) => [{ text }])
    const script = scripts.get(request.model)
    const answer = script?.shift() ?? (script === undefined ? undefined : [{ text: 'Done.' }])
    return typeof answer === 'function' ? answer(request) : answer
  })

  async function open (t: TestLike, options: StartOptions): Promise<ChatService> {
    const service = await start(t, { ...options, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345', ...options.env } })
    const watch: ChatService['watch'] = (streamId, query = '', headers = {}) =>
      service.events(`/api/chat/stream?stream_id=${streamId}${query}`, { 'user-agent': `client ${++clients}`, ...headers })
    return {
      ...service,
      endpoint,
      model (...answers) {
        const id = `scripted-${scripts.size + 1}`
        scripts.set(id, answers)
        return id
      },
      requests: (model) => endpoint.requests.filter((request) => request.model === model && request.stream),
      proposeTitle (text) { title = text },
      judge (...answers) { verdicts = answers },
      judged: () => endpoint.requests.filter(isJudging),
      watch,
      async turn (sessionId, message, model) {
        const streamId = await service.send(sessionId, message, model === undefined ? {} : { model })
        const reader = await watch(streamId)
        await reader.ended
        return { streamId, reader, frames: reader.frames, events: telling(reader.frames), last: reader.frames.at(-1)! }
      },
      again: (t, folder, more = {}) => open(t, { ...options, ...more, folder })
    }
  }
  return await open(t, options)
}

const isJudging = (request: ModelRequest): boolean => said(request, 'system')[0]?.startsWith(judgeMark) === true

const figures = new Set(['metering', 'context_status', 'warning', 'todo_state', 'tool_output'])

/** Returns event names in order, merging adjacent deltas of a kind, without usage figures and notices. */
export function telling (frames: ReceivedFrame[]): string[] {
  return frames.map((frame) => frame.event).filter((event) => !figures.has(event))
    .filter((event, index, all) => event !== all[index - 1] || (event !== 'token' && event !== 'reasoning'))
}

/** Returns the blocks of a stream as they came over the wire, without comments. */
export function wireFrames (reader: EventReader): string[] {
  return reader.text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
}

export interface Gate { isOpen: boolean, open (): void }

export function gate (): Gate {
  const self: Gate = { isOpen: false, open () { self.isOpen = true } }
  return self
}

/** Returns an answer that stops after `before` until the gate is opened (or the service hangs up). */
export function held (until: Gate, before: ModelStep[], after: ModelStep[]): ModelStep[] {
  return Object.assign([...before, ...after], {
    * [Symbol.iterator] (): Generator<ModelStep> {
      yield * before
      while (!until.isOpen) yield { waitMs: 5 }
      yield * after
    }
  })
}

/** Returns the text of all messages of a role in a request. */
export function said (request: ModelRequest | undefined, role: string): string[] {
  return (request?.messages ?? []).filter((message) => message.role === role).map(({ content }) =>
    typeof content === 'string' ? content : Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '')
}
