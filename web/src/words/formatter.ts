/** Formats values of one kind: numbers or dates. */
interface Formatter<Value> { format: (value: Value) => string }

/** A formatter that is made at its first use: making one takes milliseconds, and a start needs none. */
export function formatter<Value> (make: () => Formatter<Value>): Formatter<Value> {
  let made: Formatter<Value> | null = null
  return { format: (value) => (made ??= make()).format(value) }
}
