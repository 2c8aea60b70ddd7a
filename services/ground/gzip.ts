import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'

const deflate = promisify(deflateRaw)

// A fixed header: deflate, no name, no time, unknown system (RFC 1952, section 2.3).
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** The compressed beginning of a text whose end is not known yet. */
export interface GzipStart { deflated: Buffer, crc: number, sizeBytes: number }

/** Compresses the long, unchanging beginning of an answer once; off the event loop. */
export async function gzipStart (beginning: Buffer): Promise<GzipStart> {
  return {
    // A full flush ends on a whole byte and forgets what came before, so that any block may follow.
    deflated: await deflate(beginning, { level: 1, finishFlush: constants.Z_FULL_FLUSH }),
    crc: crc32(beginning),
    sizeBytes: beginning.length
  }
}

/** The whole file: one member, as clients that know only one expect it. */
export function gzipEnd ({ deflated, crc, sizeBytes }: GzipStart, end: Buffer): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(end, crc), 0)
  trailer.writeUInt32LE((sizeBytes + end.length) % 2 ** 32, 4)
  return Buffer.concat([header, deflated, deflateRawSync(end, { level: 1 }), trailer])
}
