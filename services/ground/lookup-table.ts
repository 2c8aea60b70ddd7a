/** Returns a lookup table for words from outside. It has no prototype, so a word such as `constructor` is not found in it. */
export function table<T> (entries: Readonly<Record<string, T>>): Record<string, T>
export function table<T, Key extends string> (entries: Readonly<Record<Key, T>>): Record<Key, T>
export function table<T> (entries: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null), entries)
}
