/** A unit for each kind of text that masks might read repeatedly: names and symbols in endless repetition, keys that never end. */
const units: Record<string, string> = {
  'names of secrets': 'token', 'names and signs': 'A=', 'names, signs, no value': 'TOKEN=', 'open quotation marks': 'password: "', 'quotation marks in each other': '\\\\\\"password\\\\\\": \\\\\\"',
  'text of lines': 'password: |\n  ', 'one long word': 'aGVsbG8gd29ybGQ', 'keys that begin': '-----BEGIN RSA PRIVATE KEY-----\n',
  'keys that do not end': `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(150)}! `, 'numbered lines of keys': `-----BEGIN RSA PRIVATE KEY-----\n${`${'A'.repeat(40)}\n123456\t`.repeat(12)}- `,
  'heads of keys': `-----BEGIN RSA PRIVATE KEY-----\n${'a: '.repeat(60)}- `, 'lines of keys': `Private-Lines: 1 ${'A'.repeat(150)}! `, 'addresses with names': 'https://user:', 'addresses in addresses': `%3a%2f%2f${'a'.repeat(90)}%3a`,
  parameters: '?sig=', commands: 'curl -u a:', 'commands with options': 'docker login -p -p ', machines: `machine a login b ${' '.repeat(15)}`, 'lines of dashes': `${'-'.repeat(50)}PASSWORD-":"|\n `,
  'quotations of quotations': `\n${'> '.repeat(40)}a:`, 'places in files': 'aaaa/aaaa.b:12345:aaaa:', backslashes: '\\', newlines: '\n', 'marks without a width': 'a\u200b', 'colours of a terminal': '\\x1b[', gaps: 'a…',
  cookies: 'cookie: a=b; ', headers: 'x-aaaa-auth: ', elements: '<token>', 'names of settings': `${'A_'.repeat(30)}TOKEN=`, versions: 'token=1.1.1-', prefixes: '-sk-'
}

/** Generates hostile text of a length, by kind. */
export const hostile: Readonly<Record<string, (chars: number) => string>> = Object.fromEntries(
  Object.entries(units).map(([name, unit]) => [name, (chars: number) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)]))

/** Returns some text of each kind, one after the other. */
export function allHostile (chars: number): string {
  const each = Math.ceil(chars / Object.keys(hostile).length)
  return Object.values(hostile).map((make) => `${make(each)}\n\n`).join('').slice(0, chars)
}
