const units = ['B', 'KB', 'MB', 'GB']

/** How large a file is, as people say it. */
export function bytesInWords (bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** step
  return `${amount >= 10 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}
