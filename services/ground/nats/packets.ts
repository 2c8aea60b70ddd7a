import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { TooLarge } from '../errors.js'
import { type NatsLink } from './link.js'
import { objectOptions, readObject } from './objects.js'

/** Larger payloads are sent as objects beside the message. Servers accept 1 MiB per message by default. */
const inlineBytes = 512 * 1_024
/** The limit for a message, whether it is sent inline or as an object: the same as for a process of this machine. */
const largestBytes = 64 * 1_024 * 1_024
const reference = 'Object'

/** A message as it is sent: its bytes, or the name of the object that holds them. */
export interface Packet { payload: Uint8Array, headers?: MsgHdrs }

/** Makes a message of a JSON value. A large one is stored in the machine's bucket first, and the message only names it. */
export async function pack (link: NatsLink, machine: string, value: unknown): Promise<Packet> {
  const payload = Buffer.from(JSON.stringify(value))
  if (payload.length <= inlineBytes) return { payload }
  if (payload.length > largestBytes) throw new TooLarge('This is too large to send to another machine')
  const name = crypto.randomUUID()
  const bucket = await link.objm.open(link.subjects.objects(machine))
  await bucket.putBlob({ name, options: objectOptions }, payload)
  const head = headers()
  head.set(reference, name)
  return { payload: new Uint8Array(0), headers: head }
}

/** Whether reading a message requires fetching an object. */
export const isLarge = ({ headers }: { headers?: MsgHdrs }): boolean => (headers?.get(reference) ?? '') !== ''

/**
 * Returns the value that was given to `pack`. Removes the object, unless `isKept`, for a reader that will read the message again: then it
 * expires by age. Throws if the object is missing or too large, or is not JSON.
 */
export async function unpack (
  link: NatsLink, machine: string, { data, headers }: { data: Uint8Array, headers?: MsgHdrs }, { isKept = false } = {}
): Promise<unknown> {
  const name = headers?.get(reference) ?? ''
  if (name === '') return JSON.parse(Buffer.from(data).toString())
  const pieces: Buffer[] = []
  for await (const piece of readObject(link, machine, name, largestBytes)) pieces.push(piece)
  if (!isKept) await (await link.objm.open(link.subjects.objects(machine))).delete(name)
  return JSON.parse(Buffer.concat(pieces).toString())
}
