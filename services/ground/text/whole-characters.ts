// Cuts of texts that split no character: a character outside the basic plane takes two positions of a string, and half of one is no text.

/** Returns the position of a cut, or the one before it if the cut is in the middle of a character. */
export function wholeAt (text: string, at: number): number {
  return at < text.length && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}

/** Returns the first `chars` of a text, or one less. */
export const wholeTo = (text: string, chars: number): string => text.slice(0, wholeAt(text, Math.max(0, chars)))

/** Returns the last `chars` of a text, or one less. */
export function wholeEnd (text: string, chars: number): string {
  const end = text.slice(Math.max(0, text.length - chars))
  return end.length < text.length && /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end
}
