/** Checks programs in awk for running commands, and for reading or writing files of their own choice. */

/** Words after which a slash begins a pattern, because no value precedes it. */
const openingWord = /(?:^|[^\w$])(?:print|printf|return|in|case|else|do|exit|delete)$/

/** Returns whether a program may do more than turn its input into text, or cannot be read. */
export function awkRuns (program: string): boolean {
  const code = codeOf(program)
  if (code === null || /\b(?:system|getline|ARG[VC])\b|@/.test(code) || code.replaceAll('||', '').includes('|')) return true
  // A statement continues in the next line after these.
  return /\bprintf?\b[^;}\n]*>/.test(code.replaceAll(/([,&|\\{?:]|\bdo|\belse)[ \t]*\n/g, '$1 '))
}

/** Returns a program without comments and without the content of its strings and patterns; null if awk may read it differently. */
function codeOf (program: string): string | null {
  let code = ''
  for (let at = 0; at < program.length;) {
    const char = program[at] ?? ''
    if (char === '#') {
      while (at < program.length && program[at] !== '\n') at++
    } else if (char === '"' || (char === '/' && meaningOfSlash(code, program, at) === 'pattern')) {
      at = endOf(program, at, char)
      if (at === -1) return null
      code += '0'
    } else {
      if (char === '/' && meaningOfSlash(code, program, at) === 'unclear') return null
      code += char
      at++
    }
  }
  return code
}

/** Returns the position after a string or a pattern; -1 if its end is uncertain. */
function endOf (program: string, start: number, mark: string): number {
  for (let at = start + 1; at < program.length && program[at] !== '\n'; at++) {
    if (program[at] === mark) return at + 1
    if (program[at] === '\\') at++
    // Some versions of awk allow a slash between brackets.
    else if (mark === '/' && program[at] === '[' && /^\[\^?\]?[^\]]*\//.test(program.slice(at))) return -1
  }
  return -1
}

function meaningOfSlash (before: string, program: string, at: number): 'pattern' | 'division' | 'unclear' {
  const last = before.trimEnd()
  if (/[\w$\]]$/.test(last) && !/(?:^|\W)length$/.test(last)) return openingWord.test(last) ? 'pattern' : 'division'
  if (!/(?:\)|\+\+|--|length)$/.test(last)) return 'pattern'
  // A pattern would end at the next slash of the line. It is a division only if neither reading has a string between the two.
  const next = /^[^/\n]*(?=\/)/.exec(program.slice(at + 1))?.[0]
  return next === undefined || !/["[\\#]/.test(next) ? 'division' : 'unclear'
}
