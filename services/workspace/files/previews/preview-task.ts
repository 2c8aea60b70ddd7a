import { openFile, type Territory } from '../../place/place.js'
import { readUpTo, tooLarge } from '../read-up-to.js'
import { contentVersion } from '../version.js'
import { docxText } from './docx.js'
import { officeKind, type OfficePreview } from './kinds.js'
import { xmlParts } from './parts.js'
import { pptxSlides, slidesAsText } from './pptx.js'
import { Unreadable } from './unreadable.js'
import { sheetsAsText, xlsxSheets } from './xlsx.js'

declare module '../../../ground/workers/index.js' {
  interface Tasks { previewOffice: typeof previewOffice }
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

/** What can be read of an office document. Runs in a worker thread: it can take seconds and much memory. Throws as readText. */
export async function previewOffice ({ territory, path }: { territory: Territory, path: string }): Promise<OfficeText> {
  const opened = await openFile(territory, path)
  try {
    if (opened.stats.size > documentLimitBytes) throw tooLarge(opened.stats.size, documentLimitBytes)
    const bytes = await readUpTo(opened.handle, documentLimitBytes)
    const { text, ...preview } = await extracted(opened.real, bytes)
    const content = text.length > textLimitChars ? text.slice(0, textLimitChars).replace(/[\ud800-\udbff]$/, '') : text
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

async function extracted (name: string, bytes: Buffer): Promise<OfficePreview & { text: string }> {
  const kind = officeKind(name)
  if (kind === null) throw new Unreadable('Files of this kind have no preview')
  const parts = await xmlParts(bytes)
  if (kind === 'docx') return { kind, text: await docxText(parts), isTruncated: false }
  if (kind === 'xlsx') {
    const workbook = await xlsxSheets(parts)
    return { kind, text: sheetsAsText(workbook.sheets), ...workbook }
  }
  const presentation = pptxSlides(parts)
  return { kind, text: slidesAsText(presentation.slides), ...presentation }
}
