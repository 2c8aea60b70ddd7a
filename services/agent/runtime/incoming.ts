import { fieldsOf } from '../../ground/fields.js'
import { isKeyOf } from '../../ground/one-of.js'
import { isOneOf } from '../forms.js'
import { fromHostForms, type FromHost, type RunBatch, type RunEventBody } from '../protocol.js'
import { eventForms } from '../run-events.js'

// Messages of hosts are not trusted: a host of another release, or a broken one, must not take the web tier down. Only what has the form
// of the protocol passes.

/** A batch whose events were checked: null stands for an event of a kind that this release does not know. */
export interface ReadBatch extends Omit<RunBatch, 'events'> { events: Array<RunEventBody | null> }

export type Incoming =
  | Exclude<FromHost, { type: 'events' }>
  | { type: 'events', batches: ReadBatch[] }
  /** A batch of this run in which an event does not have the form of its kind. */
  | { type: 'garbled', runId: string, generation: number }

const { events: _, ...otherForms } = fromHostForms

/** Reads a host's message. Returns an empty list for one of an unknown type, and null for one that is garbled as a whole. */
export function readMessage (message: unknown): Incoming[] | null {
  const { type, batches } = fieldsOf(message)
  if (typeof type !== 'string') return null
  if (type === 'events') return readBatches(batches)
  if (!isKeyOf(otherForms, type)) return []
  return isOneOf('type', otherForms, message) ? [message] : null
}

function readBatches (batches: unknown): Incoming[] | null {
  if (!Array.isArray(batches)) return null
  const read: Incoming[] = []
  for (const batch of batches) {
    if (!isBatch(batch)) return null
    const { runId, generation } = batch
    const events = batch.events.map(readEvent)
    read.push(events.every((event) => event !== undefined)
      ? { type: 'events', batches: [{ ...batch, events }] }
      : { type: 'garbled', runId, generation })
  }
  return read
}

/** Checks the form of a batch by hand, for speed: each run sends one every few milliseconds. */
export function isBatch (batch: unknown): batch is RunBatch {
  const { runId, generation, seq, events } = fieldsOf(batch)
  return typeof runId === 'string' && Number.isSafeInteger(generation) && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 1 &&
    Array.isArray(events)
}

/** Returns null for an event of an unknown kind, and undefined for what is no event. */
function readEvent (event: unknown): RunEventBody | null | undefined {
  const { t, text } = fieldsOf(event)
  if (t === 'token' || t === 'reasoning') return typeof text === 'string' ? { t, text } : undefined
  if (typeof t !== 'string') return undefined
  if (!isKeyOf(eventForms, t)) return null
  return isOneOf('t', eventForms, event) ? event : undefined
}
