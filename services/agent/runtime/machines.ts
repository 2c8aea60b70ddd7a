import { type NatsLink } from '../../ground/nats/link.js'
import { type RunSpec } from '../protocol.js'
import { type HostConnection } from './connection.js'

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
  /** How long the stream keeps a turn whose end is stored. */
  endKeptMs?: number
  /** Makes what a turn needs reachable for its machine. What it throws of the domain's errors is told as it is. */
  prepare?: (spec: RunSpec) => Promise<RunSpec>
}

/** Reaches the processes of profiles on other machines. */
export interface MachineTransport {
  (profile: string, host: string): HostConnection
  /** This way to them will not come back: their runs are lost, and whoever reaches for them next takes another. */
  giveUp (): void
  close (): Promise<void>
}
