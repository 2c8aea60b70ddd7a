import { type Control, type ControlAck, type RunName, type ToHost } from '../protocol.js'
import { type Loss } from './losses.js'

/**
 * A connection to a host, whatever carries it. Messages are plain JSON. They should arrive once and in order; the receiver detects from
 * the numbers what was lost or doubled, at the latest with the next heartbeat.
 */
export interface HostConnection {
  send (message: ToHost): void
  /** Messages are not trusted: the listener checks each against the protocol before it uses it. */
  onMessage (listener: (message: unknown) => void): void
  /** Called once when the host has gone, for any reason. `message`: a sentence for a person, where more is known. */
  onExit (listener: (reason: string, message?: string) => void): void
  /** Called when a single run is lost while the host lives. */
  onLost? (listener: (runId: string, loss: Loss) => void): void
  /**
   * Only for hosts of other machines: delivers a control and resolves with its acknowledgement. Throws Conflict when the machine does not
   * take it, and RelayFailed when it does not acknowledge it in time.
   */
  control? (control: Control, timeoutMs: number): Promise<ControlAck>
  /** Called when a run is no longer followed, whether it is over or not: what is kept of it can be deleted. */
  letGo? (runId: string): void
  /** Whether the host cannot be reached for now but may come back by itself: then missing answers do not mean that it is stuck. */
  isAway? (): boolean
  /**
   * Ends the host with its runs. Resolves when it and their commands have ended. A host of another machine is only released: its runs
   * continue.
   */
  stop (): Promise<void>
  /** Only for hosts that outlive the service: leaves it running for the next one. */
  release? (): void
  /** Kills a host that no longer responds. */
  kill (): void
  readonly pid: number | null
}

/** A host that has outlived its service, and its runs whose events are not all stored. */
export interface FoundHost {
  profile: string
  connection: HostConnection
  runs: RunName[]
  /** Whether it equals what this service would start now, so that it can be given new runs. */
  fits: boolean
}

/** The hosts that earlier services left. `areAllMet`: each of them lives, or has ended in order, so that all their runs are known. */
export interface FoundHosts { hosts: FoundHost[], areAllMet: boolean }

/** Starts or reaches the host of a profile, on the machine named `machine`, or on this one if there is no name. */
export interface HostTransport {
  (profile: string, machine?: string): HostConnection
  /** Returns the hosts that earlier services left running. Only for transports whose hosts outlive the service. */
  findHosts? (): Promise<FoundHosts>
  /** Called once, after the last host has gone. */
  close? (): Promise<void>
}
