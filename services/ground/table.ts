/** What is looked up by words from outside: a word that is not in it is in none of its ancestors either, as `constructor` would be. */
export function table<T> (entries: Readonly<Record<string, T>>): Record<string, T>
export function table<T, Key extends string> (entries: Readonly<Record<Key, T>>): Record<Key, T>
export function table<T> (entries: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null), entries)
}
