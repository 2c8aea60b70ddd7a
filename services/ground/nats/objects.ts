import { createHash, timingSafeEqual } from 'node:crypto'
import { TooLarge } from '../errors.js'
import { type NatsLink } from './link.js'

/** The size of an object's pieces. Each piece is acknowledged or requested before the next. */
export const objectOptions = { max_chunk_size: 512 * 1_024 }

/**
 * Reads the bytes of an object in a machine's bucket, piece by piece. Each piece is a request of its own: a consumer, as the NATS packages
 * create one, could be made to send what it reads to anyone, so machines may create none. Nothing that the machine claims about the object
 * is trusted: neither its length nor that it is in its own bucket. Throws if the object is missing or damaged, or holds more than
 * `mostBytes`.
 */
export async function * readObject (
  { objm, jsm, subjects }: Pick<NatsLink, 'objm' | 'jsm' | 'subjects'>, machine: string, name: string, mostBytes = Infinity
): AsyncGenerator<Buffer> {
  const bucket = subjects.objects(machine)
  const info = await (await objm.open(bucket)).info(name)
  if (info === null || info.deleted || info.options?.link !== undefined) throw new Error('An object is not there any more')
  const subject = `$O.${bucket}.C.${info.nuid}`
  const hash = createHash('sha256')
  let sizeBytes = 0
  for (let seq = 1; sizeBytes < info.size;) {
    const message = await jsm.direct.getMessage(`OBJ_${bucket}`, { seq, next_by_subj: subject })
    if (message === null || message.data.length === 0) throw new Error('A part of an object is not there any more')
    sizeBytes += message.data.length
    if (sizeBytes > mostBytes) throw new TooLarge('An object is larger than it may be')
    hash.update(message.data)
    yield Buffer.from(message.data.buffer, message.data.byteOffset, message.data.byteLength)
    seq = message.seq + 1
  }
  const told = Buffer.from(info.digest.replace(/^SHA-256=/, ''), 'base64url')
  const computed = hash.digest()
  if (told.length !== computed.length || !timingSafeEqual(told, computed)) throw new Error('An object is damaged')
}
