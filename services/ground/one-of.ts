/** Whether a value is one of these names. */
export const isOneOf = <Name extends string>(names: readonly Name[], value: unknown): value is Name => names.some((name) => name === value)

/** Whether an object has an own value under this key; inherited keys such as `constructor` do not count. */
export const isKeyOf = <Entries extends object>(entries: Entries, key: unknown): key is keyof Entries =>
  typeof key === 'string' && Object.hasOwn(entries, key)
