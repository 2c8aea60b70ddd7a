import { rm } from 'node:fs/promises'
import { saidIn, tellSaid } from '../host/said-file.js'
import { type ToHost } from '../protocol.js'
import { standbyFiles } from '../standby.js'
import { type FoundHost, type HostConnection } from './connection.js'
import { losses, type Loss } from './losses.js'

interface EndedRun { generation: number, last: number, isOver: boolean, stands: number }

/** A host that has ended while no service was there, and has left in its folder what its runs had said; null: nothing. */
export async function endedHost (folder: string): Promise<Pick<FoundHost, 'connection' | 'runs'> | null> {
  const { said } = standbyFiles({ folder })
  const runs = new Map<string, EndedRun>()
  for await (const { runId, generation, seq, events } of saidIn(said)) {
    runs.set(runId, { generation, last: seq + events.length - 1, isOver: events.at(-1)?.t === 'end', stands: 0 })
  }
  if (runs.size === 0) return null
  return { connection: new EndedHost(folder, said, runs), runs: [...runs].map(([runId, { generation }]) => ({ runId, generation })) }
}

/** Its side of the protocol, as far as somebody can have it who is not there any more. */
class EndedHost implements HostConnection {
  readonly pid = null
  #listener: (message: unknown) => void = () => {}
  #lostListener: (runId: string, loss: Loss) => void = () => {}
  #isLeft = false

  constructor (private readonly folder: string, private readonly said: string, private readonly runs: Map<string, EndedRun>) {}

  onMessage (listener: (message: unknown) => void): void { this.#listener = listener }
  onExit (): void {}
  onLost (listener: (runId: string, loss: Loss) => void): void { this.#lostListener = listener }

  send (message: ToHost): void {
    switch (message.type) {
      case 'observe':
        void this.#tell(message)
        return
      case 'stored': {
        const run = this.runs.get(message.runId)
        if (run !== undefined) run.stands = message.seq
        return
      }
      case 'control': {
        const { controlId } = message.control
        return this.#answer({ type: 'ack', ack: { controlId, result: 'not_running' } })
      }
      case 'ping': return this.#answer({
        type: 'pong', beat: message.beat,
        runs: [...this.runs].map(([runId, { generation, last: seq }]) => ({ runId, generation, seq, isOver: true, requests: [] }))
      })
    }
  }

  /** Everything was told and stored. */
  async stop (): Promise<void> {
    this.release()
    await rm(this.folder, { recursive: true, force: true })
  }

  release (): void { this.#isLeft = true }
  kill (): void {}

  async #tell ({ runId, generation, after }: Extract<ToHost, { type: 'observe' }>): Promise<void> {
    const run = this.runs.get(runId)
    if (run === undefined || run.generation !== generation) return this.#answer({ type: 'missing', runId, generation })
    await tellSaid(this.said, { runId, generation }, {
      after, tell: (batch) => this.#answer({ type: 'events', batches: [batch] }), stands: () => run.stands, isWanted: () => !this.#isLeft
    })
    // Something else has ended it, before its turns had come to their end.
    if (!run.isOver && !this.#isLeft) setImmediate(() => this.#lostListener(runId, losses.gone('it was not there any more')))
  }

  /** An answer comes later than what is answered. */
  #answer (message: unknown): void {
    setImmediate(() => { if (!this.#isLeft) this.#listener(message) })
  }
}
