/** What is found, and what stands there instead. */
export type Rewriting = readonly [RegExp, string | ((...found: string[]) => string)]

/** A form of whole words, whatever letters they have: `\b` knows English ones alone. */
export const word = (form: string): RegExp => new RegExp(`(?<![\\p{L}\\d])(?:${form})(?![\\p{L}\\d])`, 'gu')

/**
 * Returns a function that rewrites a text in the order given: a longer form comes before what is part of it. The forms are made when the
 * first text comes, since a start would wait milliseconds for those of all languages.
 */
export function rewriter (formsOf: () => readonly Rewriting[]): (text: string) => string {
  let forms: readonly Rewriting[] | undefined
  return (text) => {
    let words = text
    for (const [form, as] of forms ??= formsOf()) words = typeof as === 'string' ? words.replaceAll(form, as) : words.replaceAll(form, as)
    return words.toLowerCase().replaceAll(/\s+/g, ' ').replaceAll(' ,', ',').trim()
  }
}
