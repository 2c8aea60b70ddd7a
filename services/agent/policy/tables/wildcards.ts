/** What a shell takes for a pattern of names; a bracket need not be closed. */
const wild = /[*?[]|[@+!]\(/

/** Returns whether a path, or one segment of it, may be a pattern for several. */
export const isWild = (text: string): boolean => wild.test(text)

/** A group of `extglob`, an expression in brackets that may match several characters, and a character that a variable's value escapes. */
const any = /[@+!*?]\(.*\)|\[[!^]?\]?(?:[^\]]*\[[.=].*)\]|\\[^]/gs
/** A bracket that holds nothing but the characters that it matches, and any other. */
const some = /^\[([\w.]+)\]$/
const parts = /\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|./gsu

/**
 * Returns a test of names: whether a segment of a pattern may match one. It matches too much rather than too little: ranges match any
 * character. Hidden names are matched only by segments that begin with a dot, or with an expression that may stand for one.
 */
export function matcherOf (segment: string): (name: string) => boolean {
  const mayBeHidden = /^(?:[.[\\]|[@+!*?]\()/.test(segment)
  const pattern = (segment.replaceAll(any, '*').replaceAll(/\*+/g, '*').match(parts) ?? [])
    .map((part) => some.exec(part)?.[1] ?? (part.length > 1 && part.startsWith('[') ? '?' : part))
  // In some locales, a character is several to a pattern.
  const wide = pattern.map((character) => character === '?' ? '*' : character)
  return (name) => (mayBeHidden || !name.startsWith('.')) && (/^[ -~]*$/.test(name) ? fits(pattern, [...name]) : fits(wide, [...name]))
}

/** Takes the product of both lengths at most. */
function fits (pattern: readonly string[], name: readonly string[]): boolean {
  let [at, inName, star, mark] = [0, 0, -1, 0]
  while (inName < name.length) {
    if (pattern[at] === '*') [star, mark] = [at++, inName]
    else if (at < pattern.length && (pattern[at] === '?' || pattern[at]?.includes(name[inName] ?? '') === true)) {
      at++
      inName++
    } else if (star === -1) return false
    else {
      at = star + 1
      inName = ++mark
    }
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
