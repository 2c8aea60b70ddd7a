import { type Params } from './reason.js'

interface Said { code: string, params: Params, details?: readonly Said[] | undefined }
/** A method, whose parameters are bivariant, so that texts with different parameters fit into one table. */
type Text = { say (params: Params, list: readonly string[]): string }['say']

/** Returns the sentence for a reason and its details in the texts of a language. Throws RangeError for a code without a text. */
export function sayWith (texts: Readonly<Record<string, Text>>, { code, params, details = [] }: Said): string {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined
  if (text === undefined) throw new RangeError(`There is no text for ${code}`)
  return text(params, details.map((detail) => sayWith(texts, detail)))
}
