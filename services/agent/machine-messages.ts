import { fieldsOf } from '../ground/fields.js'
import { type RunStanding, type ToHost } from './protocol.js'

// What the service and the program of a machine say to each other beside the protocol of hosts.

/** Names the process of a machine's program that a message is from, so that what an earlier one said counts no more. */
export const instanceHeader = 'Instance'

/** Answers a `start`: the process that has the run, or why there is none, as a sentence. */
export type Taken = { taken: true, process: string } | { taken: false, reason: string, message: string }

/** What the program of a machine is told itself. */
export type ToMachine = ToHost
  /** The process does not answer; the machine looks for itself whether that is so. */
  | { type: 'kill' }

/** How a run stands, in the answer to a heartbeat. `taken`: number of the event up to which everything has been taken by the stream. */
export interface TakenStanding extends RunStanding { taken: number }

/** What the program of a machine says in its own name, between the messages of a profile's process. */
export type FromMachine =
  /** A process has ended, and its runs with it. */
  | { type: 'exited', process: string, reason: string }
  /** One run has come to nothing. */
  | { type: 'lost', runId: string, reason: string, message: string }

/** What a machine says may be of any kind, also one that cannot become text. */
const words = (said: unknown): string => typeof said === 'string' ? said.slice(0, 500) : 'it does not say why'

/** Null for what is no answer to a `start`. */
export function readTaken (said: unknown): Taken | null {
  const { taken, process, reason, message } = fieldsOf(said)
  if (taken === true && typeof process === 'string') return { taken, process }
  return taken === false ? { taken, reason: words(reason), message: words(message) } : null
}

/** Null for what the program of a machine does not say in its own name. */
export function readFromMachine (said: unknown): FromMachine | null {
  const { type, process, runId, reason, message } = fieldsOf(said)
  if (type === 'exited') return { type, process: words(process), reason: words(reason) }
  return type === 'lost' && typeof runId === 'string' ? { type, runId, reason: words(reason), message: words(message) } : null
}
