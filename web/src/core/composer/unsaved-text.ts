/** The properties of a field that tell whether typed text would be lost with it. */
interface TypedField { readonly value: string, readonly isConnected: boolean }

/** Tracks which fields hold text that is stored nowhere else. */
export interface UnsavedText {
  /** Called when the person starts to type in a field whose content was stored elsewhere until then. */
  begin: (field: TypedField) => void
  /** Whether closing the page would lose text. A removed field does not count: its text was saved or discarded on purpose. */
  isAny: () => boolean
}

export function createUnsavedText (): UnsavedText {
  const before = new Map<TypedField, string>()
  return {
    begin (field) {
      for (const one of before.keys()) if (!one.isConnected) before.delete(one)
      if (!before.has(field)) before.set(field, field.value)
    },
    isAny: () => [...before].some(([field, value]) => field.isConnected && field.value !== value && field.value.trim() !== '')
  }
}
