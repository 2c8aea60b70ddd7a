import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { TooLarge } from '../errors.js'
import { type NatsLink } from './link.js'
import { objectOptions, readObject } from './objects.js'

/** What is larger travels beside the message; servers take a mebibyte in one unless they are told otherwise. */
const inlineBytes = 512 * 1_024
/** No message is larger than this, wherever its bytes travel: as much as a process of this machine may say at once. */
const largestBytes = 64 * 1_024 * 1_024
const reference = 'Object'

/** A message as it is sent: its bytes, or the name of the object that has them. */
export interface Packet { payload: Uint8Array, headers?: MsgHdrs }

/** Makes a message of JSON. What is large is stored in the bucket of the host first, and only named. */
export async function pack (link: NatsLink, host: string, value: unknown): Promise<Packet> {
  const payload = Buffer.from(JSON.stringify(value))
  if (payload.length <= inlineBytes) return { payload }
  if (payload.length > largestBytes) throw new TooLarge('This is too large to send to another machine')
  const name = crypto.randomUUID()
  const bucket = await link.objm.open(link.subjects.objects(host))
  await bucket.putBlob({ name, options: objectOptions }, payload)
  const head = headers()
  head.set(reference, name)
  return { payload: new Uint8Array(0), headers: head }
}

/** Whether reading a message means fetching something. */
export const isLarge = ({ headers }: { headers?: MsgHdrs }): boolean => (headers?.get(reference) ?? '') !== ''

/**
 * What `pack` was given; the object is removed, unless it is to be kept for who reads the message again: then it goes by its age.
 * Throws when it is not there any more, is too large, or is no JSON.
 */
export async function unpack (
  link: NatsLink, host: string, { data, headers }: { data: Uint8Array, headers?: MsgHdrs }, { isKept = false } = {}
): Promise<unknown> {
  const name = headers?.get(reference) ?? ''
  if (name === '') return JSON.parse(Buffer.from(data).toString())
  const pieces: Buffer[] = []
  for await (const piece of readObject(link, host, name, largestBytes)) pieces.push(piece)
  if (!isKept) await (await link.objm.open(link.subjects.objects(host))).delete(name)
  return JSON.parse(Buffer.concat(pieces).toString())
}
