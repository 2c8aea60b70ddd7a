import { type ToHost } from './protocol.js'

// What the service and the program of a machine say to each other beside the protocol of hosts.

/** Names the process of a machine's program that a message is from, so that what an earlier one said counts no more. */
export const instanceHeader = 'Instance'

/** Answers a `start`: the process that has the run, or why there is none, as a sentence. */
export type Taken = { taken: true, process: string } | { taken: false, reason: string, message: string }

/** What the program of a machine is told itself. */
export type ToMachine = ToHost
  /** The process does not answer; the machine looks for itself whether that is so. */
  | { type: 'kill' }

/** What the program of a machine says in its own name, between the messages of a profile's process. */
export type FromMachine =
  /** A process has ended, and its runs with it. */
  | { type: 'exited', process: string, reason: string }
  /** One run has come to nothing. */
  | { type: 'lost', runId: string, reason: string, message: string }
