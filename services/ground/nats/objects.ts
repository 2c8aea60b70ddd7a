import { createHash, timingSafeEqual } from 'node:crypto'
import { TooLarge } from '../errors.js'
import { type NatsLink } from './link.js'

/** Pieces of an object: each is acknowledged, or asked for, before the next. */
export const objectOptions = { max_chunk_size: 512 * 1_024 }

/**
 * The bytes of an object in the bucket of a machine, piece by piece. Each piece is asked for by itself: a consumer, as the packages of NATS
 * make one, could be told to send what it reads to anybody, so machines may make none. What the machine says of the object is believed of
 * nothing: neither its length, nor that it is another bucket's. Throws when it is not there, is damaged, or holds more than `mostBytes`.
 */
export async function * readObject (
  { objm, jsm, subjects }: Pick<NatsLink, 'objm' | 'jsm' | 'subjects'>, host: string, name: string, mostBytes = Infinity
): AsyncGenerator<Buffer> {
  const bucket = subjects.objects(host)
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
