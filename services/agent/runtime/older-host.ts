import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { killMarked } from '../../ground/process/processes.js'
import { openLocalSocket } from '../../ground/network/local-socket.js'
import { JsonLines } from '../json-lines.js'
import { type RunName, type ToHost } from '../protocol.js'
import { standbyFiles, type Hello, type HostCard } from '../standby.js'
import { type FoundHost, type HostConnection } from './connection.js'
import { endedHost } from './ended-host.js'
import { readMessage } from './incoming.js'
import { losses, type Loss } from './losses.js'

interface Means {
  /** Whether this release knows the form of the host's file with events. */
  isReadable: boolean
  isAlive: (card: HostCard) => Promise<boolean>
}

/** How long a host may take to list its runs. */
const answerWithinMs = 3_000
const longestAnswerChars = 1_024 * 1_024
/** How often it is checked whether the host has ended. */
const lookEveryMs = 500

/**
 * Returns a host of another release that still has turns. This service cannot speak to it, so the host finishes them alone, or ends them
 * when no service has come for too long, and leaves their events in its file; they are stored then. Returns null if the host has no turns
 * or does not list them.
 */
export async function olderHost (folder: string, card: HostCard, means: Means): Promise<Pick<FoundHost, 'connection' | 'runs'> | null> {
  const runs = await runsOf(folder, card).catch(() => null)
  return runs === null || runs.length === 0 ? null : { runs, connection: new OlderHost(folder, card, runs, means) }
}

/** Asks for the runs of a host, and leaves it alone again. Returns null if it does not answer in time. */
async function runsOf (folder: string, { secret }: HostCard): Promise<RunName[] | null> {
  const answer = Promise.withResolvers<RunName[] | null>()
  const lines = new JsonLines(await openLocalSocket(standbyFiles({ folder }).socket), {
    message (message) {
      const [read] = readMessage(message) ?? []
      if (read?.type === 'pong') answer.resolve(read.runs.map(({ runId, generation }) => ({ runId, generation })))
    },
    closed () { answer.resolve(null) }
  }, longestAnswerChars)
  lines.send({ type: 'hello', secret } satisfies Hello)
  lines.send({ type: 'ping', beat: 0 } satisfies ToHost)
  try {
    return await Promise.race([answer.promise, delay(answerWithinMs, null, { ref: false })])
  } finally {
    lines.close()
  }
}

/** Stands for a host that cannot be spoken to. Until it has ended, its runs only count as running. */
class OlderHost implements HostConnection {
  readonly pid: number
  readonly #runs: Map<string, RunName>
  #asked: Array<Extract<ToHost, { type: 'observe' }>> = []
  /** What it has left, once it has ended. */
  #ended: Awaited<ReturnType<typeof endedHost>> = null
  #listener: (message: unknown) => void = () => {}
  #lostListener: (runId: string, loss: Loss) => void = () => {}
  #timer: NodeJS.Timeout | null

  constructor (readonly folder: string, readonly card: HostCard, runs: readonly RunName[], readonly means: Means) {
    this.pid = card.pid
    this.#runs = new Map(runs.map((run) => [run.runId, run]))
    this.#timer = setInterval(() => { void this.#look() }, lookEveryMs).unref()
  }

  onMessage (listener: (message: unknown) => void): void { this.#listener = listener }
  onExit (): void {}
  onLost (listener: (runId: string, loss: Loss) => void): void { this.#lostListener = listener }

  send (message: ToHost): void {
    if (this.#ended !== null && message.type !== 'observe') return this.#ended.connection.send(message)
    switch (message.type) {
      case 'observe':
        if (this.#timer === null) return this.#tell([message])
        this.#asked = [...this.#asked.filter(({ runId }) => runId !== message.runId), message]
        return
      case 'control': {
        const { controlId, runId, op } = message.control
        const isCancelled = op === 'cancel' && this.#runs.delete(runId)
        const isRule = (op === 'deny' || op === 'revoke') && this.#runs.has(runId)
        this.#answer({ type: 'ack', ack: { controlId, result: isCancelled ? 'applied' : isRule ? 'unsupported' : 'not_running' } })
        // Its other turns go on, and nothing that this one still does is stored.
        if (isCancelled && this.#runs.size === 0) this.kill()
        return
      }
      case 'ping': return this.#answer({
        type: 'pong', beat: message.beat, runs: [...this.#runs.values()].map((run) => ({ ...run, seq: 0, isOver: false, requests: [] }))
      })
    }
  }

  async stop (): Promise<void> {
    this.release()
    await killMarked(this.card.mark)
    await rm(this.folder, { recursive: true, force: true })
  }

  release (): void {
    this.#settle()
    this.#ended?.connection.release?.()
  }

  kill (): void { void killMarked(this.card.mark) }

  #settle (): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #look (): Promise<void> {
    if (this.#timer === null || await this.means.isAlive(this.card)) return
    const ended = this.means.isReadable ? await endedHost(this.folder) : null
    if (this.#timer === null) return
    this.#settle()
    this.#ended = ended
    ended?.connection.onMessage((message) => this.#listener(message))
    ended?.connection.onLost?.((runId, loss) => this.#lostListener(runId, loss))
    this.#tell(this.#asked)
  }

  #tell (asked: ReadonlyArray<Extract<ToHost, { type: 'observe' }>>): void {
    for (const message of asked) {
      if (this.#ended?.runs.some(({ runId, generation }) => runId === message.runId && generation === message.generation) === true) {
        this.#ended.connection.send(message)
      } else setImmediate(() => this.#lostListener(message.runId, losses.older))
    }
  }

  /** Answers asynchronously, as a real host does. */
  #answer (message: unknown): void { setImmediate(() => this.#listener(message)) }
}
