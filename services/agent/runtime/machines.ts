import { type NatsLink } from '../../ground/nats/link.js'
import { type RunSpec } from '../protocol.js'
import { type HostConnection } from './connection.js'
import { type Log } from '../../ground/log.js'

/** Which machines are connected. */
export interface MachinePresence {
  /** The `generation` of a machine's running program; null while the machine is away. */
  instanceOf (machine: string): string | null
  /** Calls back when that has changed for any machine. */
  onChange (listener: () => void): void
}

export interface NatsTransportOptions {
  link: NatsLink
  log: Log
  /** How long a machine may be away before its runs are given up. */
  awayMs: number
  presence: MachinePresence
  /** How long a machine may take to accept a turn. */
  startTimeoutMs?: number
  /** How long the stream keeps a turn whose end is stored. */
  endKeptMs?: number
  /** Makes what a turn needs reachable for its machine. Domain errors that it throws are shown as they are. */
  prepare?: (spec: RunSpec) => Promise<RunSpec>
}

/** Reaches the processes of profiles on other machines. */
export interface MachineTransport {
  (profile: string, machine: string): HostConnection
  /** Gives this transport up for good: its runs are lost, and the next request opens another one. */
  giveUp (): void
  close (): Promise<void>
}
