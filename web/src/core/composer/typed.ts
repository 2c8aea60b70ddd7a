/** As much of a field as tells whether something typed would be lost with it. */
interface TypedField { readonly value: string, readonly isConnected: boolean }

/** Which fields hold text that nobody but the page has. */
export interface Typed {
  /** The person begins with a field: what is in it now is kept elsewhere. */
  begin: (field: TypedField) => void
  /** Something would be lost with the page. A field that is gone was saved, or given up on purpose. */
  isAny: () => boolean
}

export function createTyped (): Typed {
  const before = new Map<TypedField, string>()
  return {
    begin (field) {
      for (const one of before.keys()) if (!one.isConnected) before.delete(one)
      if (!before.has(field)) before.set(field, field.value)
    },
    isAny: () => [...before].some(([field, value]) => field.isConnected && field.value !== value && field.value.trim() !== '')
  }
}
