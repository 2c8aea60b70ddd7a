/** Parses a whole number in a query; undefined if it is none. */
export function wholeNumber (text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,200}\s*$/.test(text) ? Number(text) : undefined
}
