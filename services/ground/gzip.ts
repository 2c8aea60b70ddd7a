import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, crc32, createDeflateRaw } from 'node:zlib'
import { createPace } from './concurrency/pace.js'

// A fixed header: deflate, no name, no time, unknown system (RFC 1952, section 2.3).
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const trailerBytes = 8
/**
 * A block that is not compressed: that it is the last one and of that kind, its length, and the same inverted (RFC 1951, section 3.2.4).
 */
const storedHeaderBytes = 5
const mostStoredBytes = 0xffff

/** The compressed beginning of a text whose end is not known yet: the beginning of a file. */
export interface GzipStart { compressed: Buffer, crc: number, sizeBytes: number }

/** Compresses the long, unchanging beginning of an answer once, which is given in pieces; off the event loop. */
export async function gzipStart (beginning: readonly Buffer[]): Promise<GzipStart> {
  // A full flush ends on a whole byte and forgets what came before, so that any block may follow.
  const deflate = createDeflateRaw({ level: 1, finishFlush: constants.Z_FULL_FLUSH })
  const pace = createPace()
  let crc = 0
  Readable.from(beginning).pipe(deflate)
  const compressed = buffer(deflate)
  for (const piece of beginning) {
    crc = crc32(piece, crc)
    await pace()
  }
  return { compressed: Buffer.concat([header, await compressed]), crc, sizeBytes: beginning.reduce((sum, { length }) => sum + length, 0) }
}

/**
 * The whole file: one member, as clients that know only one expect it. The end, of at most 64 KiB, is stored: compressing
 * a line of it would take longer than everything else of an answer.
 */
export function gzipEnd ({ compressed, crc, sizeBytes }: GzipStart, end: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(compressed.length + storedHeaderBytes + end.length + trailerBytes)
  whole.set(compressed)
  let at = whole.writeUInt8(1, compressed.length)
  at = whole.writeUInt16LE(end.length, at)
  at = whole.writeUInt16LE(end.length ^ mostStoredBytes, at)
  whole.set(end, at)
  at = whole.writeUInt32LE(crc32(end, crc), at + end.length)
  whole.writeUInt32LE((sizeBytes + end.length) % 2 ** 32, at)
  return whole
}
