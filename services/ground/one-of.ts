/** Whether a value is one of these names. */
export const isOneOf = <Name extends string>(names: readonly Name[], value: unknown): value is Name => names.some((name) => name === value)

/** Whether an object has a value of its own under this key; `constructor` is in none. */
export const isKeyOf = <Entries extends object>(entries: Entries, key: unknown): key is keyof Entries =>
  typeof key === 'string' && Object.hasOwn(entries, key)
