import { openFile, type Territory } from '../../place/place.js'
import { readUpTo, tooLarge } from '../read-up-to.js'
import { contentVersion } from '../version.js'
import { docxText } from './docx.js'
import { officeKind, type OfficePreview } from './kinds.js'
import { xmlParts } from './parts.js'
import { notebookText } from './notebook.js'
import { odpSlides, odsSheets, odtText } from './odf.js'
import { pptxSlides, slidesAsText } from './pptx.js'
import { Unreadable } from './unreadable.js'
import { sheetsAsText, xlsxSheets } from './xlsx.js'
import { wholeTo } from '../../../ground/text/whole-characters.js'

declare module '../../../ground/workers/index.js' {
  interface Tasks { previewOffice: typeof previewOffice, documentText: typeof documentText }
}

export interface OfficeText {
  path: string
  content: string
  sizeBytes: number
  mtimeNs: bigint
  version: string
  preview: OfficePreview
}

const documentLimitBytes = 20 * 1024 * 1024
const textLimitChars = 400_000

/** Extracts the text of an office document. Runs in a worker thread: it can take seconds and much memory. Throws what readText throws. */
export async function previewOffice ({ territory, path }: { territory: Territory, path: string }): Promise<OfficeText> {
  const opened = await openFile(territory, path)
  try {
    if (opened.stats.size > documentLimitBytes) throw tooLarge(opened.stats.size, documentLimitBytes)
    const bytes = await readUpTo(opened.handle, documentLimitBytes)
    const { text, ...preview } = await extracted(opened.real, bytes)
    const content = wholeTo(text, textLimitChars)
    return {
      path: opened.path,
      content,
      sizeBytes: bytes.length,
      mtimeNs: opened.stats.mtimeNs,
      version: contentVersion(bytes),
      preview: { ...preview, isTruncated: preview.isTruncated || content.length < text.length }
    }
  } catch (error) {
    throw error instanceof Unreadable ? error.asNotFound() : error
  } finally {
    await opened.handle.close()
  }
}

/**
 * Extracts the text of a document from its bytes, such as those of a stored version; for a notebook, the text of its cells. A long text is
 * cut and then ends with a line `[…]`. Runs in a worker thread. Throws NotFound (`preview_failed`, `too_large`), Unavailable.
 */
export async function documentText ({ name, bytes }: { name: string, bytes: Uint8Array }): Promise<string> {
  try {
    if (bytes.length > documentLimitBytes) throw tooLarge(bytes.length, documentLimitBytes)
    // A worker receives a plain Uint8Array instead of a Buffer.
    const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const { text, isTruncated } = officeKind(name) === null
      ? { text: notebookText(given.toString()), isTruncated: false }
      : await extracted(name, given)
    const content = wholeTo(text, textLimitChars)
    return isTruncated || content.length < text.length ? `${content}\n[…]` : content
  } catch (error) {
    throw error instanceof Unreadable ? error.asNotFound() : error
  }
}

async function extracted (name: string, bytes: Buffer): Promise<OfficePreview & { text: string }> {
  const kind = officeKind(name)
  if (kind === null) throw new Unreadable('Files of this kind have no preview')
  const parts = await xmlParts(bytes)
  if (kind === 'docx') return { kind, text: await docxText(parts), isTruncated: false }
  if (kind === 'odt') return { kind, ...odtText(parts) }
  if (kind === 'xlsx' || kind === 'ods') {
    const workbook = kind === 'xlsx' ? await xlsxSheets(parts) : odsSheets(parts)
    return { kind, text: sheetsAsText(workbook.sheets), ...workbook }
  }
  const presentation = kind === 'pptx' ? pptxSlides(parts) : odpSlides(parts)
  return { kind, text: slidesAsText(presentation.slides), ...presentation }
}
