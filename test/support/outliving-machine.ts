import { Host, type HostOptions } from '../../services/agent/host/host.js'
import { type HostConnection, type HostTransport } from '../../services/agent/runtime/connection.js'
import { protocolVersion, type FromHost, type RunBatch, type ToHost } from '../../services/agent/protocol.js'

interface Machine {
  /** For `StartOptions`: sessions whose workspace is on another machine are worked on here. */
  transport: (local: HostTransport) => HostTransport
  /** How many batches of runs have been said. */
  said: () => number
  /** Whether a run has said its end. */
  isOver: (runId: string) => boolean
  /** Called before a batch is delivered; from then on the connection is cut where it returns false. */
  deliver: (batch: RunBatch, count: number) => boolean
  /** Nothing that a service says reaches it. */
  isDeaf: boolean
  /** What was said of runs is not there any more. */
  forget: () => void
  close: () => Promise<void>
}

/**
 * Another machine, without a network: a host that outlives the services that are connected to it, and what its runs have said,
 * kept for who asks.
 */
export function startMachine (options: Omit<HostOptions, 'send'>): Machine {
  let kept: RunBatch[] = []
  let listener: ((message: FromHost) => void) | null = null
  let count = 0
  const hear = (message: FromHost): void => {
    const { deliver } = machine
    if (message.type !== 'events') return listener?.(message)
    // One event each, so that a service can be stopped between any two.
    const single = message.batches.flatMap((batch) => batch.events.map((event, index) => ({ ...batch, seq: batch.seq + index, events: [event] })))
    for (const batch of single) {
      kept.push(batch)
      // As a machine does that has its events where they last: the service is not waited for.
      host.receive({ type: 'stored', runId: batch.runId, seq: batch.seq + batch.events.length - 1 })
      if (!deliver(batch, ++count)) listener = null
      listener?.({ type: 'events', batches: [batch] })
    }
  }
  const host = new Host({
    ...options,
    send (message) {
      const copy = JSON.parse(JSON.stringify(message)) as FromHost
      setImmediate(() => hear(copy))
      return true
    }
  })

  function connect (): HostConnection {
    const exits: Array<(reason: string) => void> = []
    let isCut = false
    const send = (message: ToHost): void => {
      if (isCut || machine.isDeaf) return
      if (message.type === 'stored') return
      if (message.type !== 'observe') return host.receive(message)
      const batches = kept.filter(({ runId, generation }) => runId === message.runId && generation === message.generation)
      if (batches.length === 0) return listener?.({ type: 'missing', runId: message.runId, generation: message.generation })
      for (const batch of batches) listener?.({ type: 'events', batches: [batch] })
    }
    const stop = async (): Promise<void> => {
      if (isCut) return
      isCut = true
      listener = null
      for (const exit of exits) exit('detached')
    }
    return {
      pid: null,
      send: (message) => {
        const copy = JSON.parse(JSON.stringify(message)) as ToHost
        setImmediate(() => send(copy))
      },
      onMessage: (hearer) => {
        const mine = (message: unknown): void => { if (!isCut) hearer(JSON.parse(JSON.stringify(message))) }
        listener = mine
        mine({ type: 'ready', v: protocolVersion, pid: process.pid })
      },
      onExit: (exit) => { exits.push(exit) },
      stop,
      kill: () => { void stop() }
    }
  }

  const machine: Machine = {
    transport: (local) => Object.assign((profile: string, name?: string) => name === undefined ? local(profile) : connect(), local.close === undefined ? {} : { close: async () => await local.close?.() }),
    said: () => count,
    isOver: (runId) => kept.some((batch) => batch.runId === runId && batch.events.some(({ t }) => t === 'end')),
    deliver: () => true,
    isDeaf: false,
    forget () { kept = [] },
    close: async () => await host.close()
  }
  return machine
}
