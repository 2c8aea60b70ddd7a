import { optional, Unreadable } from './unreadable.js'
import { packed } from './packed.js'

/** Returns the text of a Word document, with blank lines between paragraphs. Throws Unreadable, Unavailable. */
export async function docxText (parts: Map<string, Buffer>): Promise<string> {
  const { default: mammoth } = await optional('mammoth', async () => await import('mammoth'))
  const buffer = await packed(parts)
  const {
    value
  } = await mammoth.extractRawText({ buffer }).catch(() => { throw new Unreadable('The document is damaged, or not what its name says') })
  return value.trimEnd()
}
