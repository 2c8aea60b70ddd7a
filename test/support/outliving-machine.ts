import { Host, type HostOptions } from '../../services/agent/host/host.js'
import { type HostConnection, type HostTransport } from '../../services/agent/runtime/connection.js'
import { protocolVersion, type FromHost, type RunBatch, type ToHost } from '../../services/agent/protocol.js'

interface Machine {
  /** For `StartOptions`: this machine runs sessions whose workspace is on another machine. */
  transport: (local: HostTransport) => HostTransport
  /** Returns how many batches of runs were sent. */
  said: () => number
  /** Whether a run has sent its end. */
  isOver: (runId: string) => boolean
  /** Called before a batch is delivered; if it returns false, the connection is cut. */
  deliver: (batch: RunBatch, count: number) => boolean
  /** Whether nothing that a service sends reaches it. */
  isDeaf: boolean
  /** Removes the stored events of runs. */
  forget: () => void
  close: () => Promise<void>
}

/** Plays another machine without a network: a host that outlives the services that connect to it, with the stored events of its runs. */
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
      // Like a machine whose events are stored durably: it does not wait for the service.
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
