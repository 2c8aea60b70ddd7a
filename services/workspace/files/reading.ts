import { isUtf8 } from 'node:buffer'
import { type Workers } from '../../ground/workers/index.js'
import { Invalid } from '../../ground/errors.js'
import { openFile, type OpenedFile, type Territory } from '../place/place.js'
import { isDocument, officeKind, type OfficePreview } from './previews/kinds.js'
import { notebookText } from './previews/notebook.js'
import { Unreadable } from './previews/unreadable.js'
import { readUpTo, tooLarge } from './read-up-to.js'
import { contentVersion } from './version.js'

export interface ReadText {
  /** Path relative to the workspace. */
  path: string
  /** The text; of an office document what can be read of it. */
  content: string
  /** Bytes of the file. */
  sizeBytes: number
  /** Newlines in `content`, plus one. */
  lines: number
  mtimeNs: bigint
  /** See contentVersion: what was read, to be compared when it is written. */
  version: string
  /** A zero byte near the beginning, as no text has one. */
  isBinary: boolean
  /** Bytes that are not UTF-8 were replaced: writing `content` back would destroy them. */
  isLossy: boolean
  preview: OfficePreview | null
}

/** The most that is read of a text. */
const textLimitBytes = 400_000
const binaryLookBytes = 8_000
const previewLimitMs = 15_000
const documentLimitBytes = 20 * 1024 * 1024
const noText = 'Only office documents and notebooks have a text of their own; PDF and other files are compared by their bytes'

/**
 * A file as text. Throws NotFound for what is no regular file inside, for files above the limit, and for office
 * documents nothing can be read of (`preview_failed`: they are what they are, so asking again is no use); Unavailable
 * when what reads office documents is not installed; else as openFile.
 */
export async function readText (territory: Territory, path: string, workers: Workers): Promise<ReadText> {
  const opened = await openFile(territory, path)
  try {
    const kind = officeKind(opened.real)
    if (kind !== null) return await readOffice(territory, opened.real, workers)
    if (opened.stats.size > textLimitBytes) throw tooLarge(opened.stats.size, textLimitBytes)
    const bytes = await readUpTo(opened.handle, textLimitBytes)
    const content = bytes.toString()
    return {
      path: opened.path,
      content,
      sizeBytes: bytes.length,
      lines: lineCount(content),
      mtimeNs: opened.stats.mtimeNs,
      version: contentVersion(bytes),
      isBinary: bytes.subarray(0, binaryLookBytes).includes(0),
      isLossy: !isUtf8(bytes),
      preview: null
    }
  } finally {
    await opened.handle.close()
  }
}

async function readOffice (territory: Territory, real: string, workers: Workers): Promise<ReadText> {
  const { content, ...document } = await workers.run('previewOffice', { territory, path: real }, { timeoutMs: previewLimitMs })
  return { ...document, content, lines: lineCount(content), isBinary: true, isLossy: true }
}

/**
 * The text of a document that has these bytes, as it is compared with that of another version: of an office document what can be read of
 * it, of a notebook its cells. Throws Invalid for files of other kinds, NotFound (`preview_failed`, `too_large`), Unavailable.
 */
export async function textOfDocument (name: string, bytes: Uint8Array, workers: Workers): Promise<string> {
  if (!isDocument(name)) throw new Invalid(noText)
  return await workers.run('documentText', { name, bytes }, { timeoutMs: previewLimitMs })
}

/** The cells of a notebook, as `textOfDocument` tells them; null: it is none. */
export function textOfCells (name: string, content: string): string | null {
  if (!isDocument(name) || officeKind(name) !== null) return null
  try {
    return notebookText(content)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

/** As `textOfDocument`, of an opened file, which it closes. */
export async function textOfOpened ({ handle, real }: OpenedFile, workers: Workers): Promise<string> {
  try {
    if (!isDocument(real)) throw new Invalid(noText)
    return await textOfDocument(real, await readUpTo(handle, documentLimitBytes), workers)
  } finally {
    await handle.close()
  }
}

function lineCount (text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
