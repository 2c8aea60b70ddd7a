const most = 2n ** 63n - 1n

/** The nearest number that fits 64 bits with a sign: a moment in nanoseconds from the year 2262 on does not. Pure. */
export function int64 (value: bigint): bigint {
  return value > most ? most : value < -most ? -most : value
}
