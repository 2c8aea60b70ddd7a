/** The whole number that a text of a query is, undefined for what is none. */
export function wholeNumber (text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,200}\s*$/.test(text) ? Number(text) : undefined
}
