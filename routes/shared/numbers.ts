/** Returns the whole number in a query text; undefined for anything else. */
export function wholeNumber (text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,200}\s*$/.test(text) ? Number(text) : undefined
}
