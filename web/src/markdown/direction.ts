const fromRight = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * Returns the direction of the first letter outside of code, for elements that contain blocks: `dir=auto` ignores content with a direction
 * of its own.
 */
export function directionOf (source: string): 'ltr' | 'rtl' {
  const letter = /\p{L}/u.exec(source.slice(0, 400).replaceAll(/`[^`]*`|<[^>]*>/g, ''))
  return letter !== null && fromRight.test(letter[0]) ? 'rtl' : 'ltr'
}
