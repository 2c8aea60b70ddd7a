/** A budget of text that may still be shown. */
export interface Allowance {
  /** Returns the text, or as much of it as the budget allows. */
  take: (text: string) => string
  leftChars: () => number
  /** Whether any text had to be left out. */
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
