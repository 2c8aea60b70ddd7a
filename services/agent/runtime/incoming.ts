import { Value } from '@sinclair/typebox/value'
import { fieldsOf } from '../../ground/fields.js'
import { isKeyOf } from '../../ground/one-of.js'
import { fromHostForms, type FromHost, type RunBatch, type RunEventBody } from '../protocol.js'
import { eventForms } from '../run-events.js'

// What a host says is not trusted: a host of another release, or one that something has gone wrong in, must not take the web
// tier with it. What has the form of the protocol passes, and nothing else.

/** A batch whose events were looked at: null stands for one of a kind that this release does not know. */
export interface ReadBatch extends Omit<RunBatch, 'events'> { events: Array<RunEventBody | null> }

export type Incoming =
  | Exclude<FromHost, { type: 'events' }>
  | { type: 'events', batches: ReadBatch[] }
  /** Events that do not have the form of their kind, of this run. */
  | { type: 'garbled', runId: string, generation: number }

/** What a host's message is; nothing for one of a type that is not known, null for one that is garbled as a whole. */
export function readMessage (message: unknown): Incoming[] | null {
  const { type, batches } = fieldsOf(message)
  if (typeof type !== 'string') return null
  if (type === 'events') return readBatches(batches)
  if (!isKeyOf(fromHostForms, type)) return []
  return isOfForm(message, type) ? [message] : null
}

const isOfForm = (message: unknown, type: keyof typeof fromHostForms): message is Exclude<FromHost, { type: 'events' }> =>
  Value.Check(fromHostForms[type], message)

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

/** By hand: there is one for every few milliseconds of every run. */
export function isBatch (batch: unknown): batch is RunBatch {
  const { runId, generation, seq, events } = fieldsOf(batch)
  return typeof runId === 'string' && Number.isSafeInteger(generation) && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 1 &&
    Array.isArray(events)
}

/** Null: of an unknown kind. Undefined: no event. */
function readEvent (event: unknown): RunEventBody | null | undefined {
  const { t, text } = fieldsOf(event)
  if (t === 'token' || t === 'reasoning') return typeof text === 'string' ? { t, text } : undefined
  if (typeof t !== 'string') return undefined
  if (!isKeyOf(eventForms, t)) return null
  return isOfKind(event, t) ? event : undefined
}

const isOfKind = (event: unknown, kind: RunEventBody['t']): event is RunEventBody => Value.Check(eventForms[kind], event)
