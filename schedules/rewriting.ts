/** A form to find, and its replacement. */
export type Rewriting = readonly [RegExp, string | ((...found: string[]) => string)]

/** Returns a pattern that matches a form as whole words, in any script: `\b` knows only English letters. */
export const word = (form: string): RegExp => new RegExp(`(?<![\\p{L}\\d])(?:${form})(?![\\p{L}\\d])`, 'gu')

/**
 * Returns a function that rewrites a text in the order given: a longer form comes before its parts. The forms are built for the first text,
 * because those of all languages would delay the start by milliseconds.
 */
export function rewriter (formsOf: () => readonly Rewriting[]): (text: string) => string {
  let forms: readonly Rewriting[] | undefined
  return (text) => {
    let words = text
    for (const [form, as] of forms ??= formsOf()) words = typeof as === 'string' ? words.replaceAll(form, as) : words.replaceAll(form, as)
    return words.toLowerCase().replaceAll(/\s+/g, ' ').replaceAll(' ,', ',').trim()
  }
}
