import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { createPace } from './concurrency/pace.js'

const deflate = promisify(deflateRaw)

// A fixed header: deflate, no name, no time, unknown system (RFC 1952, section 2.3).
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const trailerBytes = 8
/**
 * The header of a block that is not compressed: a byte with the flag for the last block and the block's kind, the length, and the length
 * inverted (RFC 1951, section 3.2.4).
 */
const storedHeaderBytes = 5
const mostStoredBytes = 0xffff
/** Below this size, compressing takes longer than sending. */
const leastCompressedBytes = 512

/** The compressed beginning of a file whose end is not known yet. */
export interface GzipStart {
  compressed: Buffer
  crc: number
  sizeBytes: number
  /** The last file that was made with this beginning. */
  last?: { end: Buffer, whole: Buffer }
}

/** The compressed bytes of each piece, cached for as long as the piece is referenced. The bytes of a piece never change. */
const segments = new WeakMap<Buffer, Promise<Buffer>>()

/** Returns a segment that ends on a whole byte and refers to nothing before it, so that segments can be joined in any order. */
async function compressed (piece: Buffer): Promise<Buffer> {
  if (piece.length >= leastCompressedBytes) return await deflate(piece, { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([storedHeader(piece.length, 0), piece])
}

/** @param isLast 1 for the last block of a file */
function storedHeader (length: number, isLast: 0 | 1): Buffer {
  const bytes = Buffer.alloc(storedHeaderBytes)
  bytes.writeUInt8(isLast)
  bytes.writeUInt16LE(length, 1)
  bytes.writeUInt16LE(length ^ mostStoredBytes, 3)
  return bytes
}

/**
 * Compresses the long beginning of an answer, given in pieces, off the event loop. Each piece is compressed once: if some pieces have
 * changed the next time, only those are compressed.
 */
export async function gzipStart (beginning: readonly Buffer[]): Promise<GzipStart> {
  const pace = createPace()
  const done: Buffer[] = [header]
  let crc = 0
  // One at a time, because file reads use the same threads.
  for (const piece of beginning) {
    const segment = segments.get(piece) ?? compressed(piece)
    segments.set(piece, segment)
    done.push(await segment)
    crc = crc32(piece, crc)
    await pace()
  }
  return { compressed: Buffer.concat(done), crc, sizeBytes: beginning.reduce((sum, { length }) => sum + length, 0) }
}

/**
 * Returns the whole file as a single gzip member, because some clients read only one. The end, at most 64 KiB, is stored uncompressed:
 * compressing a line of it would take longer than the rest of the answer. Returns the same object if the end is the same as before.
 */
export function gzipEnd (start: GzipStart, end: Buffer): Buffer {
  if (start.last?.end.equals(end) === true) return start.last.whole
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUInt32LE(crc32(end, start.crc))
  trailer.writeUInt32LE((start.sizeBytes + end.length) % 2 ** 32, 4)
  const whole = Buffer.concat([start.compressed, storedHeader(end.length, 1), end, trailer])
  start.last = { end, whole }
  return whole
}
