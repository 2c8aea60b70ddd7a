const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** Formats a size, such as `3.4 KB`. */
export function sizeText (sizeBytes: number): string {
  let amount = sizeBytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit++
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toPrecision(2)} ${units[unit]}`
}
