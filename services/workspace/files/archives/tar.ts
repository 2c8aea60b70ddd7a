import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { fieldsOf } from '../../../ground/fields.js'
import { isSystemError } from '../failures.js'
import { type Declared, type MemberJudge, type Member, moment, unsafe } from './members.js'
import { readRange } from './source.js'

/** Most bytes that the headers and padding of a member take, with long names. */
const overheadBytes = 16 * 1024

export interface TarSource {
  fd: number
  sizeBytes: number
  gzipped: boolean
  /** Most unpacked bytes, including headers. It stops archive bombs. */
  capBytes: number
}

/**
 * Reads a tar file twice: checks all members, then passes them to `visit` one after the other. The second time they are
 * checked again, because the file may change in between. Throws Invalid (`unsafe_archive`).
 */
export async function readTar (
  source: TarSource, judges: [MemberJudge, MemberJudge], visit: (member: Member, content: AsyncIterable<Uint8Array> | null) => Promise<void>
): Promise<void> {
  const [before, during] = judges
  await eachMember(source, async (header) => { before.add(declared(header)) })
  await eachMember(source, async (header, content) => {
    const member = during.add(declared(header))
    if (member !== null) await visit(member, member.kind === 'file' ? content : null)
  })
}

async function eachMember (source: TarSource, look: (header: Header, content: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void> {
  // The option, which is for the oldest tar format, is missing in the package's types.
  const unpacking = extract({ allowUnknownFormat: true } as object)
  const packed = readRange(source.fd, 0, source.sizeBytes)
  const limited = limit(source.capBytes + overheadBytes)
  const fail = (error: Error): void => { unpacking.destroy(error) }
  packed.on('error', fail)
  limited.on('error', fail)
  const plain = source.gzipped ? packed.pipe(createGunzip().on('error', fail)) : packed
  plain.pipe(limited).pipe(unpacking as unknown as NodeJS.WritableStream)
  try {
    for await (const content of unpacking) {
      await look(content.header, content as AsyncIterable<Uint8Array>)
      content.resume()
    }
  } catch (error) {
    throw isSystemError(error) || fieldsOf(error).details !== undefined
      ? error
      : unsafe('it is damaged, or not what it says it is')
  } finally {
    packed.destroy()
  }
}

function declared ({ name, type, size, mode, mtime, pax }: Header): Declared {
  const isSparse = pax != null && Object.keys(pax).some((key) => key.startsWith('GNU.sparse'))
  const kind = type === 'directory' ? 'folder' : (type === 'file' || type === 'contiguous-file') && !isSparse ? 'file' : 'other'
  return { name, kind, sizeBytes: size, modifiedAtS: moment(mtime), packedBytes: null, executable: (mode & 0o111) !== 0 }
}

function limit (capBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform (chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > capBytes) done(unsafe('unpacked it is too large'))
      else done(null, chunk)
    }
  })
}
