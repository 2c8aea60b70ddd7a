import { type Params } from './reason.js'

interface Said { code: string, params: Params, details?: readonly Said[] | undefined }
/** A text takes the parameters of its code. Parameters of methods are bivariant, so that a table of such texts is one of these. */
type Text = { say (params: Params, list: readonly string[]): string }['say']

/** Says a reason, and what it lists, with the texts of a language. Throws RangeError for a code without a text. */
export function sayWith (texts: Readonly<Record<string, Text>>, { code, params, details = [] }: Said): string {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined
  if (text === undefined) throw new RangeError(`There is no text for ${code}`)
  return text(params, details.map((detail) => sayWith(texts, detail)))
}
