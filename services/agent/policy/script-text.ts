/** Programs in the small languages of sed and awk, as far as they run commands or write files. */

/** Longer ones are not looked through. */
const maxScriptChars = 2000

/** True when a script on the command line of sed or awk does more than turn text into text. */
export function scriptRuns (program: string, args: readonly string[]): boolean {
  if (program === 'sed') return sedScripts(args).some((script) => script.length > maxScriptChars || sedRuns.test(script) || sedSubstitutes(script))
  if (['awk', 'gawk', 'mawk'].includes(program)) return args.some((arg) => arg.length > maxScriptChars || awkRuns.test(arg))
  return false
}

function sedScripts (args: readonly string[]): string[] {
  const named = args.flatMap((arg, index) => /^(?:-[a-zA-Z]*e|--expression)$/.test(arg) ? [args[index + 1] ?? ''] : /^(?:-e|--expression=)(.+)$/s.exec(arg)?.[1] ?? [])
  if (named.length > 0) return named
  const first = args.find((arg) => !arg.startsWith('-'))
  return first === undefined ? [] : [first]
}

/** The commands `e`, `w` and `W`, behind nothing, an address or another command. */
const sedRuns = /(?:^|[;{}\n]|[\d$/])[ \t]*!?[ \t]*(?:e(?:\s|$)|[wW][ \t]+\S)/

/** The flags `e` and `w` of a substitution. */
function sedSubstitutes (script: string): boolean {
  for (const start of script.matchAll(/(?:^|[;{}\n\s\d$/!,])s([^\w\s\\])/g)) {
    const mark = start[1] ?? ''
    let at = start.index + start[0].length
    for (let passed = 0; passed < 2 && at < script.length; at++) {
      if (script[at] === '\\') at++
      else if (script[at] === mark) passed++
    }
    if (/^[gpiImM\d]*[ew]/.test(script.slice(at))) return true
  }
  return false
}

const awkRuns = /\bsystem\s*\(|(?<!\|)\|&?\s*["(a-zA-Z]|\bprintf?\b[^;}\n]*>|^@load\b/
