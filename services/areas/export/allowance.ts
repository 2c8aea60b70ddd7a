/** How much text may still be shown. */
export interface Allowance {
  /** The text, or as much of it as is left. */
  take: (text: string) => string
  leftChars: () => number
  /** Whether something had to be left out. */
  wasExceeded: () => boolean
}

export function createAllowance (chars: number): Allowance {
  let left = chars
  let isExceeded = false
  return {
    take (text) {
      if (text.length > left) isExceeded = true
      const taken = text.slice(0, left)
      left -= taken.length
      return taken
    },
    leftChars: () => left,
    wasExceeded: () => isExceeded
  }
}
