import { type NatsLink } from '../../ground/nats/link.js'
import { type HostConnection, type HostTransport } from './connection.js'

/** What is known of the machines that have joined. */
export interface MachinePresence {
  /** What the machine of that name gave its bridge as `generation`; null while it is not there. */
  instanceOf (host: string): string | null
  /** Called when that has changed of any machine. */
  onChange (listener: () => void): void
}

export interface NatsTransportOptions {
  link: NatsLink
  log: (message: string, details: Record<string, unknown>) => void
  /** So long a machine may be away before its runs are given up. */
  awayMs: number
  presence: MachinePresence
  /** So long a machine may take to say that it takes a turn. */
  startTimeoutMs?: number
}

/** Reaches the processes of profiles on other machines. */
export interface MachineTransport {
  (profile: string, host: string): HostConnection
  close (): Promise<void>
}

/** Loads what speaks with NATS, and nothing of it before. */
export async function openNatsTransport (options: NatsTransportOptions): Promise<MachineTransport> {
  const { natsTransport } = await import('./nats.js')
  return natsTransport(options)
}

/** Runs of this machine go one way, and those of others the other; `remote` tells, when it is asked, whether there is another one. */
export function dispatching (local: HostTransport, remote: () => MachineTransport | null): HostTransport {
  const transport: HostTransport = (profile, host) => {
    if (host === undefined) return local(profile)
    const machines = remote()
    if (machines === null) throw new Error(`"${host}" is another machine, and this service is connected to no NATS server`)
    return machines(profile, host)
  }
  return Object.assign(transport, {
    async close () { await Promise.all([local.close?.(), remote()?.close()]) }
  })
}
