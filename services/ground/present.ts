/**
 * Returns a value that cannot be missing where this is called, such as a row that was just inserted.
 *
 * @param what names the value in the error, which is a fault of this program
 */
export function present<T> (value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`)
  return value
}
