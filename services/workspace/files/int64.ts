const most = 2n ** 63n - 1n

/** Returns the nearest number that fits into 64 bits with a sign. Nanoseconds from the year 2262 on do not fit. Pure. */
export function int64 (value: bigint): bigint {
  return value > most ? most : value < -most ? -most : value
}
