import { isUtf8 } from 'node:buffer'
import { readSync } from 'node:fs'
import { type Readable } from 'node:stream'
import { crc32, inflateRawSync } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { asError } from '../../../ground/errors.js'
import { fieldsOf } from '../../../ground/fields.js'
import { isSystemError } from '../failures.js'
import { type Declared, type MemberJudge, type Member, moment, unsafe } from './members.js'
import { readRange } from './source.js'

interface ZipMember {
  entry: Entry
  member: Member
  /** Offset of its packed bytes. */
  start: number
}

/** Unix file types, which are in the upper half of the external attributes. */
const typeBits = 0o170000
const regular = 0o100000
const folder = 0o040000
const headerBytes = 30
const smallBytes = 4 * 1024 * 1024
const utf8Flag = 0x800
const unicodePathField = 0x7075

/**
 * Checks the whole directory of a zip file, then passes its members to `visit` one after the other, with at most as many unpacked bytes
 * as were declared. Throws Invalid (`unsafe_archive`), also for problems that only unpacking shows.
 */
export async function readZip (
  fd: number, sizeBytes: number, judge: MemberJudge, visit: (member: Member, content: AsyncIterable<Uint8Array> | null) => Promise<void>
): Promise<void> {
  try {
    // It must not close the descriptor, which belongs to the caller.
    const zip = await fromRandomAccessReaderPromise(new DescriptorReader(fd), sizeBytes, {
      autoClose: false, strictFileNames: true, validateEntrySizes: true
    })
    const members = await judged(zip, judge, sizeBytes)
    for (const { entry, member, start } of members) {
      if (member.kind === 'folder') await visit(member, null)
      else {
        await visit(
          member, verified(isSmall(entry) ? [unpackedAtOnce(fd, entry, start)] : await zip.openReadStreamPromise(entry), entry.crc32)
        )
      }
    }
  } catch (error) {
    throw isOurs(error) ? error : unsafe('it is damaged, or not what it says it is')
  }
}

const isOurs = (error: unknown): boolean => isSystemError(error) || fieldsOf(error).details !== undefined

/** Most files are small: a stream for each of them would take most of the time. */
const isSmall = ({ compressedSize, uncompressedSize }: Entry): boolean => compressedSize <= smallBytes && uncompressedSize <= smallBytes

function unpackedAtOnce (fd: number, { compressionMethod, compressedSize, uncompressedSize }: Entry, start: number): Buffer {
  const packed = Buffer.alloc(compressedSize)
  if (readSync(fd, packed, 0, compressedSize, start) < compressedSize) throw unsafe('it ends too early')
  // One byte more than declared is enough to detect that the file is longer.
  return compressionMethod === 0 ? packed : inflateRawSync(packed, { maxOutputLength: uncompressedSize + 1 })
}

async function * verified (content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, expected: number): AsyncGenerator<Uint8Array> {
  let sum = 0
  for await (const chunk of content) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== expected) throw unsafe('a file in it is damaged')
}

async function judged (zip: ZipFile, judge: MemberJudge, sizeBytes: number): Promise<ZipMember[]> {
  const members: ZipMember[] = []
  const taken: Array<[start: number, end: number]> = []
  for await (const entry of zip.eachEntry()) {
    const member = judge.add(declared(entry))
    const header = await zip.readLocalFileHeaderPromise(entry)
    // Other programs may use the name in the local header instead of the one in the directory.
    if (!header.fileName.equals(entry.fileNameRaw)) throw unsafe('it has two names for the same file')
    taken.push([entry.relativeOffsetOfLocalHeader, header.fileDataStart + entry.compressedSize])
    if (member !== null) members.push({ entry, member, start: header.fileDataStart })
  }
  taken.sort(([one], [other]) => one - other)
  for (const [index, [start, end]] of taken.entries()) {
    if (start + headerBytes > end || end > Math.min(sizeBytes, taken[index + 1]?.[0] ?? sizeBytes)) {
      throw unsafe('files in it lie on top of each other')
    }
  }
  return members
}

function declared (entry: Entry): Declared {
  if (entry.isEncrypted()) throw unsafe('it is encrypted')
  if (!entry.canDecodeFileData()) throw unsafe('it is packed in a way that is not supported')
  const mode = entry.externalFileAttributes >>> 16
  const type = mode & typeBits
  const name = nameOf(entry)
  const isFolder = name.endsWith('/')
  const fits = type === 0 || type === (isFolder ? folder : regular)
  return {
    name,
    kind: fits ? (isFolder ? 'folder' : 'file') : 'other',
    sizeBytes: entry.uncompressedSize,
    modifiedAtS: moment(entry.getLastModDate()),
    packedBytes: entry.compressedSize,
    executable: (mode & 0o111) !== 0
  }
}

/** Many programs write UTF-8 without the flag, so a name without it is UTF-8 if its bytes are valid as such. */
function nameOf ({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isSaid = (generalPurposeBitFlag & utf8Flag) !== 0 || extraFields.some(({ id }) => id === unicodePathField)
  return !isSaid && isUtf8(fileNameRaw) ? fileNameRaw.toString() : fileName
}

class DescriptorReader extends RandomAccessReader {
  constructor (private readonly fd: number) {
    super()
  }

  /** For headers: without this method, a stream would be created for each of them. */
  override read (
    buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null, bytes?: number) => void
  ): void {
    let bytes = 0
    let failure: Error | null = null
    try {
      bytes = readSync(this.fd, buffer, offset, length, position)
    } catch (error) {
      failure = asError(error)
    }
    process.nextTick(callback, failure, bytes)
  }

  override _readStreamForRange (start: number, end: number): Readable {
    return readRange(this.fd, start, end)
  }
}
