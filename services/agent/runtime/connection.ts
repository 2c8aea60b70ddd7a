import { type ToHost } from '../protocol.js'

/**
 * A connection to a host, however it is reached. Messages are plain JSON. Between the same two ends they should arrive once
 * and in order; one that does not is found out by its number, at the latest with the next heartbeat.
 */
export interface HostConnection {
  send (message: ToHost): void
  /** What arrives is not trusted: it is held against the protocol before anything is done with it. */
  onMessage (listener: (message: unknown) => void): void
  /** Called once when the host is gone, whatever the reason. */
  onExit (listener: (reason: string) => void): void
  /** Ends the host; its runs die with it. Resolves when it is gone, and the commands of its runs. */
  stop (): Promise<void>
  /** Ends a host that does not listen any more. */
  kill (): void
  readonly pid: number | null
}

/** Starts or reaches the host of a profile, on the machine of that name; without one, on this. */
export interface HostTransport {
  (profile: string, host?: string): HostConnection
  /** Called once, when no host is left. */
  close? (): Promise<void>
}
