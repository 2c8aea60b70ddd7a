import { rm } from 'node:fs/promises'
import { spooledBatches, sendSpooled } from '../host/event-spool.js'
import { type ToHost } from '../protocol.js'
import { standbyFiles } from '../standby.js'
import { type FoundHost, type HostConnection } from './connection.js'
import { losses, type Loss } from './losses.js'

interface EndedRun { generation: number, last: number, isOver: boolean, lastStored: number }

/** Returns a host that ended while no service was connected, with the events that it left in its folder; null if it left none. */
export async function endedHost (folder: string): Promise<Pick<FoundHost, 'connection' | 'runs'> | null> {
  const { spool } = standbyFiles({ folder })
  const runs = new Map<string, EndedRun>()
  for await (const { runId, generation, seq, events } of spooledBatches(spool)) {
    runs.set(runId, { generation, last: seq + events.length - 1, isOver: events.at(-1)?.t === 'end', lastStored: 0 })
  }
  if (runs.size === 0) return null
  return { connection: new EndedHost(folder, spool, runs), runs: [...runs].map(([runId, { generation }]) => ({ runId, generation })) }
}

/** Plays the part of a host that has ended: it answers from the file that the host left. */
class EndedHost implements HostConnection {
  readonly pid = null
  #listener: (message: unknown) => void = () => {}
  #lostListener: (runId: string, loss: Loss) => void = () => {}
  #isLeft = false

  constructor (private readonly folder: string, private readonly spool: string, private readonly runs: Map<string, EndedRun>) {}

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
        if (run !== undefined) run.lastStored = message.seq
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

  /** Removes its folder, because all its events have been stored. */
  async stop (): Promise<void> {
    this.release()
    await rm(this.folder, { recursive: true, force: true })
  }

  release (): void { this.#isLeft = true }
  kill (): void {}

  async #tell ({ runId, generation, after }: Extract<ToHost, { type: 'observe' }>): Promise<void> {
    const run = this.runs.get(runId)
    if (run === undefined || run.generation !== generation) return this.#answer({ type: 'missing', runId, generation })
    await sendSpooled(this.spool, { runId, generation }, {
      after, send: (batch) => this.#answer({ type: 'events', batches: [batch] }), lastStored: () => run.lastStored, isWanted: () => !this.#isLeft
    })
    // The host was killed before its turns had ended.
    if (!run.isOver && !this.#isLeft) setImmediate(() => this.#lostListener(runId, losses.gone('it was not there any more')))
  }

  /** Answers asynchronously, as a real host does. */
  #answer (message: unknown): void {
    setImmediate(() => { if (!this.#isLeft) this.#listener(message) })
  }
}
