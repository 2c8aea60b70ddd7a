import { type Control, type ControlAck, type RunName, type ToHost } from '../protocol.js'
import { type Loss } from './losses.js'

/**
 * A connection to a host, however it is reached. Messages are plain JSON. Between the same two ends they should arrive once
 * and in order; one that does not is found out by its number, at the latest with the next heartbeat.
 */
export interface HostConnection {
  send (message: ToHost): void
  /** What arrives is not trusted: it is held against the protocol before anything is done with it. */
  onMessage (listener: (message: unknown) => void): void
  /** Called once when the host is gone, whatever the reason; with a sentence for a person where there is more to say than that. */
  onExit (listener: (reason: string, message?: string) => void): void
  /** Called when one run is lost and the host is not. */
  onLost? (listener: (runId: string, loss: Loss) => void): void
  /**
   * Only where a host is another machine's: hands a control over and resolves with its acknowledgement. Throws Conflict when nobody
   * takes it, and RelayFailed when nobody says in time what became of it.
   */
  control? (control: Control, timeoutMs: number): Promise<ControlAck>
  /** Nobody follows a run any more, be it over or not: what is kept of it may go. */
  letGo? (runId: string): void
  /** It cannot be reached for now, and may come back by itself: that it does not answer says nothing. */
  isAway? (): boolean
  /**
   * Ends the host; its runs die with it. Resolves when it is gone, and the commands of its runs. A host of
   * another machine is only let go: its runs go on.
   */
  stop (): Promise<void>
  /** Only where a host outlives the service: leaves it at work, for the next one. */
  release? (): void
  /** Ends a host that does not listen any more. */
  kill (): void
  readonly pid: number | null
}

/** A host that has outlived its service, and the runs of which there is something to be told. */
export interface FoundHost {
  profile: string
  connection: HostConnection
  runs: RunName[]
  /** It is what this service would start as well, and may be given new runs. */
  fits: boolean
}

/** Starts or reaches the host of a profile, on the machine of that name; without one, on this. */
export interface HostTransport {
  (profile: string, host?: string): HostConnection
  /** The hosts of services before this one that are to be taken up; there are some only where hosts outlive their service. */
  takeUp? (): Promise<FoundHost[]>
  /** Called once, when no host is left. */
  close? (): Promise<void>
}
