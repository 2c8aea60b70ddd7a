/** Programs in the language of awk, as far as they run commands, or read and write files of their own choice. */

/** Words behind which no value stands yet. */
const openingWord = /(?:^|[^\w$])(?:print|printf|return|in|case|else|do|exit|delete)$/

/** True when a program may do more than turn the text it is given into text, or cannot be read. */
export function awkRuns (program: string): boolean {
  const code = codeOf(program)
  if (code === null || /\b(?:system|getline|ARG[VC])\b|@/.test(code) || code.replaceAll('||', '').includes('|')) return true
  // A statement goes on behind these.
  return /\bprintf?\b[^;}\n]*>/.test(code.replaceAll(/([,&|\\{?:]|\bdo|\belse)[ \t]*\n/g, '$1 '))
}

/** A program without comments, and without what stands in its texts and patterns; null when awk may read it in another way. */
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

/** Behind a text or a pattern; -1 when where it ends is not certain. */
function endOf (program: string, start: number, mark: string): number {
  for (let at = start + 1; at < program.length && program[at] !== '\n'; at++) {
    if (program[at] === mark) return at + 1
    if (program[at] === '\\') at++
    // Some let a slash stand between brackets.
    else if (mark === '/' && program[at] === '[' && /^\[\^?\]?[^\]]*\//.test(program.slice(at))) return -1
  }
  return -1
}

function meaningOfSlash (before: string, program: string, at: number): 'pattern' | 'division' | 'unclear' {
  const last = before.trimEnd()
  if (/[\w$\]]$/.test(last) && !/(?:^|\W)length$/.test(last)) return openingWord.test(last) ? 'pattern' : 'division'
  if (!/(?:\)|\+\+|--|length)$/.test(last)) return 'pattern'
  // A pattern would end at the next slash of the line: between the two nothing may be a text.
  const next = /^[^/\n]*(?=\/)/.exec(program.slice(at + 1))?.[0]
  return next === undefined || !/["[\\#]/.test(next) ? 'division' : 'unclear'
}
