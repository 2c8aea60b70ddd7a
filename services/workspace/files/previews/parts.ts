import { type Readable } from 'node:stream'
import yauzl from 'yauzl'
import { Unreadable } from './unreadable.js'

/** Most files in an office document. */
const mostEntries = 10_000
/** Most bytes of all files together, as declared by the archive. */
const mostUnpackedBytes = 400 * 1024 * 1024
/** Most bytes of the XML files together, which alone are unpacked: reading XML takes several times as much memory. */
const mostTextBytes = 32 * 1024 * 1024
/** Highest compression ratio: no genuine XML compresses more. It is checked only above `ratioFromBytes`. */
const mostRatio = 250
const ratioFromBytes = 1024 * 1024

/**
 * Returns the XML parts of an office document by name. Nothing is unpacked before everything that the archive declares is within the
 * limits, and the unpacked sizes must match what was declared. Throws Unreadable.
 */
export async function xmlParts (document: Buffer): Promise<Map<string, Buffer>> {
  const archive = await yauzl.fromBufferPromise(document, { lazyEntries: true, validateEntrySizes: true }).catch(broken)
  try {
    const entries = await wanted(archive)
    const parts = new Map<string, Buffer>()
    for (const entry of entries) parts.set(entry.fileName, await unpack(archive, entry).catch(broken))
    return parts
  } finally {
    archive.close()
  }
}

async function wanted (archive: yauzl.ZipFile): Promise<yauzl.Entry[]> {
  if (archive.entryCount > mostEntries) throw new Unreadable('The document contains too many files', 'too_large')
  const entries: yauzl.Entry[] = []
  let unpackedBytes = 0
  let textBytes = 0
  for (const entry of await allEntries(archive).catch(broken)) {
    const { fileName, compressedSize, uncompressedSize } = entry
    if ((unpackedBytes += uncompressedSize) > mostUnpackedBytes) throw tooLarge()
    if (uncompressedSize > ratioFromBytes && uncompressedSize > compressedSize * mostRatio) throw tooLarge()
    if (!/\.(?:xml|rels)$/i.test(fileName)) continue
    if ((textBytes += uncompressedSize) > mostTextBytes) throw tooLarge()
    entries.push(entry)
  }
  return entries
}

async function allEntries (archive: yauzl.ZipFile): Promise<yauzl.Entry[]> {
  return await new Promise((resolve, reject) => {
    const entries: yauzl.Entry[] = []
    archive.on('entry', (entry: yauzl.Entry) => {
      entries.push(entry)
      archive.readEntry()
    })
    archive.on('end', () => resolve(entries))
    archive.on('error', reject)
    archive.readEntry()
  })
}

async function unpack (archive: yauzl.ZipFile, entry: yauzl.Entry): Promise<Buffer> {
  const stream = await new Promise<Readable>((resolve, reject) =>
    archive.openReadStream(entry, (error, opened) => error === null ? resolve(opened) : reject(error)))
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function tooLarge (): Unreadable {
  return new Unreadable('The document is too large once it is unpacked', 'too_large')
}

function broken (error: unknown): never {
  throw error instanceof Unreadable ? error : new Unreadable('The document is damaged, or not what its name says')
}
