import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call, readEvents, type Answer } from '../wire.js'
import { registerOf, type AcceptedTurn, type Ledger } from './ledger.js'
import { type Random } from './random.js'
import { type Kind, type Tally } from './tally.js'

/** A request was not answered: the service has gone, so nothing was promised. */
export class Gone extends Error {}

/** Does what people do, and writes it to the ledger as soon as it is acknowledged. Requests that are not answered throw `Gone`. */
export interface Client {
  newSession (): Promise<string>
  /** Starts a turn and follows it to its end unless `meanwhile` takes over; throws Gone if its stream breaks. */
  turn (
    sessionId: string, message: string, options?: { model?: string, meanwhile?: (turn: AcceptedTurn) => Promise<void> }
  ): Promise<AcceptedTurn>
  steer (turn: AcceptedTurn, text: string): Promise<void>
  cancel (turn: AcceptedTurn): Promise<void>
  save (sessionId: string, path: string, absolute: string, content: string): Promise<void>
  upload (sessionId: string, kind: 'attachment' | 'workspace', name: string, content: Buffer): Promise<void>
  rename (sessionId: string, title: string): Promise<void>
  draft (sessionId: string, text: string): Promise<void>
  setting (name: string, value: number): Promise<void>
  project (name: string): Promise<void>
  background (sessionId: string, prompt: string): Promise<void>
  btw (sessionId: string, question: string): Promise<void>
  get (path: string): Promise<Answer>
  post (path: string, body: unknown): Promise<Answer>
  random: Random
}

export interface ClientOptions {
  url: string
  ledger: Ledger
  tally: Tally
  random: Random
  /** Folder that uploads go to. */
  workspace: string
  /** Whether the service may refuse with this answer for now, for example 503 on a full disk. */
  mayRefuse?: (answer: Answer) => boolean
}

export function createClient ({ url, ledger, tally, random, workspace, mayRefuse = () => false }: ClientOptions): Client {
  const send = async (path: string, method = 'GET', body?: unknown): Promise<Answer> => {
    try {
      return await call(url + path, method, body)
    } catch (error) {
      throw new Gone((error as Error).message)
    }
  }
  const post = async (path: string, body: unknown): Promise<Answer> => await send(path, 'POST', body)
  /** Counts what was acknowledged, and returns whether it was; an answer that is neither that nor an expected refusal is a finding. */
  const acknowledged = (what: string, answer: Answer, kind?: Kind): boolean => {
    if (answer.status === 200) {
      if (kind !== undefined) tally.tried(kind)
      return true
    }
    if (!mayRefuse(answer)) tally.wrong(`${what} is answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`)
    return false
  }
  const need = (
    what: string, answer: Answer
  ): any => { // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is looked into as it is
    if (!acknowledged(what, answer)) throw new Gone(`${what} was refused`)
    return answer.body
  }

  const client: Client = {
    random,
    post,
    get: async (path) => await send(path),
    async newSession () {
      const id = need('a new session', await post('/api/session/new', {})).session.session_id as string
      ledger.sessions.add(id)
      tally.tried('sessions')
      return id
    },
    async turn (sessionId, message, { model, meanwhile } = {}) {
      const {
        stream_id: streamId
      } = need('a start', await post('/api/chat/start', { session_id: sessionId, message, ...(model !== undefined && { model }) }))
      const turn: AcceptedTurn = { sessionId, streamId, message, received: [], cancelled: false, steers: [] }
      ledger.turns.push(turn)
      tally.tried('turns')
      tally.tried('messages')
      await follow(url, turn, meanwhile)
      return turn
    },
    async steer (turn, text) {
      const { status, body } = await post('/api/chat/steer', { session_id: turn.sessionId, text })
      if (status !== 200 || body.accepted !== true) return
      turn.steers.push(text)
      tally.tried('steers')
    },
    async cancel (turn) {
      const { status, body } = await post('/api/chat/cancel', { stream_id: turn.streamId })
      turn.cancelled = status === 200 && body.cancelled
    },
    async save (sessionId, path, absolute, content) {
      await registerOf(ledger.files, absolute).set(content, async () =>
        acknowledged('a save', await post('/api/file/save', { session_id: sessionId, path, content }), 'saves'))
    },
    async upload (sessionId, kind, name, content) {
      const form = new FormData()
      form.set('session_id', sessionId)
      form.set('file', new Blob([new Uint8Array(content)]), name)
      const response = await fetch(`${url}${kind === 'attachment' ? '/api/upload' : '/api/workspace/upload'}`, {
        method: 'POST', body: form
      })
        .catch((error: Error) => { throw new Gone(error.message) })
      const body = await response.json().catch((error: Error) => { throw new Gone(error.message) }) as { filename: string, path: string }
      if (acknowledged('an upload', { status: response.status, body }, 'uploads')) {
        ledger.uploads.push({ path: resolve(workspace, body.path), sha256: digest(content) })
      }
    },
    async rename (sessionId, title) {
      await registerOf(ledger.titles, sessionId).set(title, async () =>
        acknowledged('a rename', await post('/api/session/rename', { session_id: sessionId, title }), 'renames'))
    },
    async draft (sessionId, text) {
      await registerOf(ledger.drafts, sessionId).set(text, async () =>
        acknowledged('a draft', await post('/api/session/draft', { session_id: sessionId, text, files: [] }), 'settings'))
    },
    async setting (name, value) {
      await registerOf(ledger.settings, name).set(value, async () =>
        acknowledged('a setting', await post('/api/settings', { [name]: value }), 'settings'))
    },
    async project (name) {
      if (acknowledged('a project', await post('/api/projects/create', { name }), 'settings')) ledger.projects.add(name)
    },
    async background (sessionId, prompt) {
      const answer = await post('/api/background', { session_id: sessionId, prompt })
      if (answer.status === 429 || !acknowledged('a background task', answer)) return
      tally.tried('side')
      ledger.tasks.push({ sessionId, taskId: answer.body.task_id, told: 0 })
    },
    async btw (sessionId, question) {
      const answer = await post('/api/btw', { session_id: sessionId, question })
      if (answer.status === 429 || !acknowledged('a question on the side', answer)) return
      tally.tried('side')
      const turn: AcceptedTurn = {
        sessionId: answer.body.session_id, streamId: answer.body.stream_id, message: question, received: [], cancelled: false, steers: []
      }
      ledger.asides.push(turn)
      await follow(url, turn)
    }
  }
  return client
}

async function follow (url: string, turn: AcceptedTurn, meanwhile?: (turn: AcceptedTurn) => Promise<void>): Promise<void> {
  try {
    const stream = await readEvents(`${url}/api/chat/stream?stream_id=${turn.streamId}&after_seq=0`, (frame) => turn.received.push(frame))
    await meanwhile?.(turn)
    if (!await stream.over) throw new Gone('the stream broke off')
  } catch (error) {
    throw error instanceof Gone ? error : new Gone((error as Error).message)
  }
}

export const digest = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

/** Fetches the results of background tasks, until all have been delivered or the time is over. */
export async function collectTasks (client: Client, ledger: Ledger, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  while (performance.now() < until) {
    const waiting = new Set(ledger.tasks.filter(({ told }) => told === 0).map(({ sessionId }) => sessionId))
    if (waiting.size === 0) return
    for (const sessionId of waiting) await tellTasks(client, ledger, sessionId)
    await delay(50)
  }
}

/** Fetches the results of one conversation's tasks and counts how often each was delivered. */
export async function tellTasks (client: Client, ledger: Ledger, sessionId: string): Promise<void> {
  const { status, body } = await client.get(`/api/background/status?session_id=${sessionId}`)
  if (status !== 200) return
  for (const { task_id: id } of body.results as Array<{ task_id: string }>) {
    const task = ledger.tasks.find(({ taskId }) => taskId === id)
    if (task !== undefined) task.told++
  }
}
