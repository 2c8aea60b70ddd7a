/** What is found, and what stands there instead. */
export type Rewriting = readonly [RegExp, string | ((...found: string[]) => string)]

/** A form of whole words, whatever letters they have: `\b` knows English ones alone. */
export const word = (form: string): RegExp => new RegExp(`(?<![\\p{L}\\d])(?:${form})(?![\\p{L}\\d])`, 'gu')

/** Rewrites a text in the order given: a longer form comes before what is part of it. */
export function rewritten (text: string, rewritings: readonly Rewriting[]): string {
  let words = text
  for (const [form, as] of rewritings) words = typeof as === 'string' ? words.replaceAll(form, as) : words.replaceAll(form, as)
  return words.toLowerCase().replaceAll(/\s+/g, ' ').replaceAll(' ,', ',').trim()
}
