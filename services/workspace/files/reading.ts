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
  /** The text; for an office document, the text that could be extracted. */
  content: string
  /** Bytes of the file. */
  sizeBytes: number
  /** Newlines in `content`, plus one. */
  lines: number
  mtimeNs: bigint
  /** See contentVersion: identifies what was read, for comparison when it is saved. */
  version: string
  /** Whether a null byte is near the beginning, which no text has. */
  isBinary: boolean
  /** Whether bytes that are not UTF-8 were replaced: writing `content` back would destroy them. */
  isLossy: boolean
  preview: OfficePreview | null
}

/** Size of the largest text that is read. */
const textLimitBytes = 400_000
const binaryLookBytes = 8_000
const previewLimitMs = 15_000
const documentLimitBytes = 20 * 1024 * 1024
const noText = 'Only office documents and notebooks have a text of their own; PDF and other files are compared by their bytes'

/**
 * Reads a file as text. Throws NotFound for anything but a regular file inside, for files above the limit, and for office
 * documents that cannot be read (`preview_failed`; a retry would not help); Unavailable if the package that reads the
 * document is not installed; and what openFile throws.
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
 * Returns the text of a document from its bytes, for comparing versions: the text of an office document, or the cells of a notebook.
 * Throws Invalid for files of other kinds, NotFound (`preview_failed`, `too_large`), Unavailable.
 */
export async function textOfDocument (name: string, bytes: Uint8Array, workers: Workers): Promise<string> {
  if (!isDocument(name)) throw new Invalid(noText)
  return await workers.run('documentText', { name, bytes }, { timeoutMs: previewLimitMs })
}

/** Returns the cells of a notebook like `textOfDocument`; null if the file is not a notebook or is damaged. */
export function textOfCells (name: string, content: string): string | null {
  if (!isDocument(name) || officeKind(name) !== null) return null
  try {
    return notebookText(content)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

/** Like `textOfDocument`, for an opened file, which it closes. */
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
