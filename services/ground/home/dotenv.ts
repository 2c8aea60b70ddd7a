const name = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=[ \t]*/
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/**
 * Parses a `.env` file: comments, `export`, single quotes and backticks (literal), double quotes (with \n, \r, \t, \"
 * and \\), values over several lines inside quotes. An unquoted value ends at white space followed by `#`.
 * The platform's own `util.parseEnv` cuts unquoted values at any `#`, which destroys keys, and knows no escaped quote.
 */
export function parseDotenv (text: string): Record<string, string> {
  const variables: Record<string, string> = {}
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  while (rest !== '') {
    const start = name.exec(lineOf(rest))
    if (start === null) {
      rest = rest.slice(lineOf(rest).length + 1)
      continue
    }
    rest = rest.slice(start[0].length)
    const quoted = quotedValue(rest)
    variables[start[1] as string] = quoted?.value ?? lineOf(rest).replace(/(?:^|\s+)#.*$/, '').trim()
    rest = rest.slice(quoted?.length ?? 0)
    rest = rest.slice(lineOf(rest).length + 1)
  }
  return variables
}

function lineOf (text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? text : text.slice(0, end)
}

function quotedValue (text: string): { value: string, length: number } | undefined {
  const double = /^"((?:[^"\\]|\\[^])*)"/.exec(text)
  if (double !== null) {
    const value = (double[1] as string).replace(/\\([^])/g, (whole, letter: string) =>
      escapes[letter] ?? (letter === '"' || letter === '\\' ? letter : whole))
    return { value, length: double[0].length }
  }
  const literal = /^'([^']*)'/.exec(text) ?? /^`([^`]*)`/.exec(text)
  return literal === null ? undefined : { value: literal[1] as string, length: literal[0].length }
}
