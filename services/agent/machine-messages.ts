import { fieldsOf } from '../ground/fields.js'
import { type RunStanding, type ToHost } from './protocol.js'

// Messages between the service and the program on a machine, in addition to the protocol of hosts.

/** Header that names the process of the machine's program that sent a message, so that messages of an earlier process are ignored. */
export const instanceHeader = 'Instance'

/** The answer to a `start`: the process that has the run, or why it was not started, as a sentence. */
export type Taken = { taken: true, process: string } | { taken: false, reason: string, message: string }

/** A message to the program on a machine itself. */
export type ToMachine = ToHost
  /** The process does not answer to the service; the machine checks that itself. */
  | { type: 'kill' }

/** The state of a run, in the answer to a heartbeat. `taken`: number of the last event up to which the stream has accepted all. */
export interface TakenStanding extends RunStanding { taken: number }

/** Messages that the program on a machine sends itself, between those of a profile's process. */
export type FromMachine =
  /** A process has ended, and its runs with it. */
  | { type: 'exited', process: string, reason: string }
  /** One run is lost. */
  | { type: 'lost', runId: string, reason: string, message: string }

/** Returns a machine's text. Its messages may contain any type, even one that cannot be converted to text. */
const words = (said: unknown): string => typeof said === 'string' ? said.slice(0, 500) : 'it does not say why'

/** Reads an answer to a `start`; null for anything else. */
export function readTaken (said: unknown): Taken | null {
  const { taken, process, reason, message } = fieldsOf(said)
  if (taken === true && typeof process === 'string') return { taken, process }
  return taken === false ? { taken, reason: words(reason), message: words(message) } : null
}

/** Reads a message that the program on a machine sends itself; null for any other message. */
export function readFromMachine (said: unknown): FromMachine | null {
  const { type, process, runId, reason, message } = fieldsOf(said)
  if (type === 'exited') return { type, process: words(process), reason: words(reason) }
  return type === 'lost' && typeof runId === 'string' ? { type, runId, reason: words(reason), message: words(message) } : null
}
