import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { createPace } from './concurrency/pace.js'

const deflate = promisify(deflateRaw)

// A fixed header: deflate, no name, no time, unknown system (RFC 1952, section 2.3).
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const trailerBytes = 8
/**
 * A block that is not compressed: whether it is the last one and that it is of that kind, its length, and the same inverted (RFC 1951,
 * section 3.2.4).
 */
const storedHeaderBytes = 5
const mostStoredBytes = 0xffff
/** To compress less takes longer than to send it. */
const leastCompressedBytes = 512

/** The compressed beginning of a text whose end is not known yet: the beginning of a file. */
export interface GzipStart {
  compressed: Buffer
  crc: number
  sizeBytes: number
  /** The last file that was made of it. */
  last?: { end: Buffer, whole: Buffer }
}

/** What was compressed of each piece, for as long as somebody holds the piece; its bytes never change. */
const segments = new WeakMap<Buffer, Promise<Buffer>>()

/** Ends on a whole byte and refers to nothing before it, so that any segment may stand before and behind it. */
async function compressed (piece: Buffer): Promise<Buffer> {
  if (piece.length >= leastCompressedBytes) return await deflate(piece, { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([storedHeader(piece.length, 0), piece])
}

/** `isLast`: 1 for the last block of a file. */
function storedHeader (length: number, isLast: 0 | 1): Buffer {
  const bytes = Buffer.alloc(storedHeaderBytes)
  bytes.writeUInt8(isLast)
  bytes.writeUInt16LE(length, 1)
  bytes.writeUInt16LE(length ^ mostStoredBytes, 3)
  return bytes
}

/**
 * Compresses the long beginning of an answer, which is given in pieces; off the event loop, and each piece once: when some of them are
 * others the next time, only those are compressed.
 */
export async function gzipStart (beginning: readonly Buffer[]): Promise<GzipStart> {
  const pace = createPace()
  const done: Buffer[] = [header]
  let crc = 0
  // One after the other: files that are read meanwhile wait for the same threads.
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
 * The whole file: one member, as clients that know only one expect it. The end, of at most 64 KiB, is stored: compressing
 * a line of it would take longer than everything else of an answer. The same object for the same end as before.
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
