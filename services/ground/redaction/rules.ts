// Patterns of credentials. Paths and identifiers are never touched. Every repetition has a limit or a fixed beginning, so that no text
// takes long: https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS
import { cutKeys, knownKeys, wholeAddresses } from './known-keys.js'
import {
  endsInName, isBareSecret, isHeaderSecret, isNameOfOne, isParameterSecret, isQuotedSecret, isRandom, isSecret, isShellSecret,
  isSpokenSecret, plainWord, secretName
} from './judging.js'

export type Groups = Record<string, string | undefined>

/**
 * `before` stays, and `value` is masked if `isMasked` returns true, with `within` only the matching parts of it; `after` is only checked.
 * Each is the source of a regular expression. Named groups belong in `before` and `after`.
 */
export interface Rule {
  before: string
  /** Whether it begins with the name of a secret. What precedes the name is checked by lookbehind. */
  isNamed?: true
  value: string
  after?: string
  flags?: 'i'
  isMasked?: (groups: Groups) => boolean
  within?: RegExp
  /** How far before the value a match begins at most; 96 characters by default. */
  reach?: number
  /** A part of `before` that every match contains and that is rare in texts: without it, the slower pattern is not tried. */
  needs?: string
  /** Characters that no match contains, if a value has no limit. */
  never?: string
  /** How many line ends a match contains at most, if it may contain many. */
  lines?: number
  /** Where a value certainly ends, if it may contain white space. */
  until?: RegExp
}

/** The header of which a stream remembers only that it was there: each of its values is judged alone. */
export const cookieHeader = 'Cookie: '
const endOfLine = /(?=\n)/g

/** A pattern reads at most this much of a value. A longer value is masked as a whole. */
export const longestLooked = 400

const privateKey = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
// Repetitions can be matched in only one way: `(?:a{24,}b{0,9})*` has as many matches of a long run as there are ways to split it, and
// tries all of them before it fails.
/** The end of a line, also escaped in texts inside of texts, and with the number of the next line. */
const lineEnd = '(?:(?:\\s|\\\\{1,8}[nr])(?:\\d{1,6}(?:\\t|\\\\{1,8}t))?)'
const gap = `${lineEnd}{0,60}`
const between = `${lineEnd}{1,60}`
const keyLine = '[\\w+/=]{24,}'
const keyHeaders = `(?:${between}[\\w-]{1,30}: [^\\n\\r\\\\]{0,200}(?=[\\n\\r\\\\]|$))*`
const keyLines = `(?:${gap}${keyLine}(?:${between}${keyLine})*)?(?:${between}[\\w+/=]{1,64}(?=${gap}-----END|$))?`
/** The end of a sentence shows that the text is not a key any more. */
const body = '(?:(?![.,;!?][ \\n])[^-]){0,20000}'
/** The end of a block, or of a sentence outside its headers. */
const endOfBlock = /-----END [A-Z0-9 ]{0,60}-----|(?<![\w-]: [^\n\r\\]{0,200})(?=[.,;!?][ \n])/g

/** The start of a line, also in texts inside of texts, in diffs, and with the line number that tools show. */
const lineStart = '(?<=^|[\\n\\r"]|\\\\[nr])[ \\t>|#*+-]{0,80}(?![ \\t>|#+-])(?:(?:[\\w./-]{1,200}:)?\\d{1,7}[\\t:|-][ \\t-]{0,40}(?![ \\t-]))?'
const setting = '(?:export[ \\t]{1,4}|ENV[ \\t]{1,4}|\\$env:)?'
const quote = '(?<quote>\\\\{0,8}(?:"""|\'\'\'|["\'`]))'
const quoted = { value: '(?:(?!(?<!\\\\)\\k<quote>)[^\\n]){1,1000}', after: '(?=\\k<quote>)', until: endOfLine }
const upperName = secretName.toUpperCase()

/** Programs that take a password after a one-letter option: directly, after a space, or either. */
const passwordOptions = [
  '(?:mysql(?:dump|admin|import|show|check)?|mariadb(?:-dump|-admin)?|mycli|7za?)\\b[^\\n|;&]{0,200}?[ \\t]-p["\']?',
  'sshpass\\b[^\\n]{0,80}?[ \\t]-p[ \\t]{0,4}["\']?',
  '(?:docker|podman|nerdctl|buildah|skopeo|crane|helm|az)\\b[^\\n|;&]{0,80}?\\blogin\\b[^\\n|;&]{0,200}?[ \\t]-p[ \\t=]{1,4}["\']?',
  'redis-cli\\b[^\\n|;&]{0,200}?[ \\t]-a[ \\t]{1,4}["\']?',
  'ldap(?:search|modify|add|delete|passwd|whoami)\\b[^\\n|;&]{0,200}?[ \\t]-w[ \\t]{1,4}["\']?',
  '(?:un)?zip\\b[^\\n|;&]{0,200}?[ \\t]-P[ \\t]{1,4}["\']?',
  'openssl\\b[^\\n|;&]{0,200}?[ \\t]-pass(?:in|out)?[ \\t]{1,4}["\']?pass:',
  'smbclient\\b[^\\n|;&]{0,200}?[ \\t]-U[ \\t]{0,4}["\']?[\\w.\\\\-]{1,80}%'
]
const parameterName = 'sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential)|awsaccesskeyid|(?:[\\w.-]{0,30}[_-])?token|jwt|code|key|api[_-]?key|auth|(?:client[_-]?)?secret|pass|pw|pwd|password|(?:j|php)?sess(?:ion)?id|sid|ticket|assertion|otp|hmac'

export const rules: Rule[] = [
  // Whole blocks. Of a truncated one, the lines that are there.
  {
    before: '', value: `-----BEGIN ${privateKey}(?:${body}-----END ${privateKey}|${keyHeaders}${keyLines}(?:${gap}-----END ${privateKey})?)`,
    until: endOfBlock
  },
  { before: '(?<![A-Za-z\\d])', value: knownKeys.join('|'), reach: 0 },
  { before: '(?<![A-Za-z\\d])', value: `(?:${cutKeys.join('|')})(?=[\\w-]{0,40}\\d)[\\w-]{4,60}`, after: '(?=$|…)', reach: 0 },
  { before: '', value: '\\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2(?:id|i|d)|scrypt)\\$[\\w./$=,+-]{20,400}', reach: 0 },
  {
    before: 'Private-Lines: \\d{1,3}(?:\\s|\\\\{1,8}[rn]){1,8}', value: `[\\w+/=]{16,16000}(?:${lineEnd}{1,8}[\\w+/=]{16,16000}){0,79}`,
    until: /(?=[^\w+/=\s\\])/g
  },
  // JSON web tokens.
  { before: '(?<![\\w-])', value: 'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{4,}', reach: 0 },
  // Addresses that are secret as a whole.
  { before: wholeAddresses.join('|'), value: '[\\w/@-]{10,}', flags: 'i' },
  // Headers.
  {
    before: '\\b(?:proxy-)?authorization\\\\{0,4}["\']?[ \\t]{0,8}[:=][ \\t]{0,8}\\\\{0,4}["\']?(?<scheme>(?:bearer|basic|digest|token|apikey|key)[ \\t]{1,4})?',
    value: '[^\\s"\'\\\\,;$<{[]{6,400}',
    flags: 'i',
    isMasked: ({ scheme, value = '' }) => isSecret(value, '') && !isNameOfOne(value) && (scheme !== undefined || isRandom(value))
  },
  {
    before: '\\bx-(?:[a-z\\d]{1,20}-){0,4}(?:auth(?:entication|orization)?|access|credentials?|session(?:-id)?|signature|key|token|secret)\\\\{0,4}["\']?[ \\t]{0,8}:[ \\t]{0,8}\\\\{0,4}["\']?(?:(?:bearer|basic|token)[ \\t]{1,4})?',
    value: '[^\\s"\'\\\\,;$<>(){}[\\]]{4,400}',
    after: '(?:(?<end>["\'\\\\])|(?!\\())',
    flags: 'i',
    isMasked: isHeaderSecret,
    reach: 160
  },
  { before: '\\b(?:bearer|basic)[ \\t]{1,8}', value: '[\\w.~+/=-]{12,}', flags: 'i', isMasked: ({ value = '' }) => isRandom(value) },
  {
    before: '\\b(?:set-)?cookie:[ \\t]{0,8}', value: '[^\\r\\n"\']{8,}', flags: 'i', within: /(?<==)[^;\s[]{8,}/g, never: '\r\n"\'',
    until: /(?=[\r\n"'])/g
  },
  // Addresses that contain a password or a signature, also inside of other addresses.
  {
    before: '\\b[A-Za-z][A-Za-z0-9+.-]{1,20}:\\/\\/[^\\s:@/"\'<>]{0,100}:(?!\\$\\{|\\$[A-Z_]{1,80}@|\\{\\{)',
    value: '[^\\s@/"\'<>[\\]]{1,200}', after: '(?=@)', reach: 130, needs: ':\\/\\/'
  },
  { before: '%3a%2f%2f[\\w.~-]{0,100}%3a', value: '(?:(?!%40)[\\w.~%!*()+-]){1,200}', after: '(?=%40)', flags: 'i', reach: 120 },
  {
    before: `(?:[?&#;]|%3f|%26)(?<name>${parameterName})(?:=|%3d)`, value: '(?:(?!%2[26]|%20)[^\\s&"\'`<>#;\\\\(){}[\\]|]){4,400}',
    flags: 'i', isMasked: isParameterSecret
  },
  // Options and arguments of commands.
  {
    before: '\\bcurl\\b[^\\n]{0,200}?\\s(?:-u[ \\t=]{0,4}|(?:--user|--proxy-user)[ \\t=]{1,4})["\']?[\\w.@-]{1,80}:(?![$<])',
    value: '[^\\s"\':/]{4,}', reach: 320, needs: '\\bcurl\\b'
  },
  {
    before: `\\b(?:${passwordOptions.join('|')})(?![$<(%])`, value: '(?:(?<=["\'])[^"\'\\n]{3,200}(?=["\'])|[^\\s"\'`]{3,400})',
    isMasked: ({ value = '' }) => isSecret(value, 'pass') && !isNameOfOne(value), reach: 400, until: endOfLine
  },
  {
    isNamed: true,
    before: `(?<=--[a-z-]{0,30}|(?:^|\\s)-[a-z]{0,20})(?<name>${secretName})[ \\t]{1,4}["']?`,
    value: '[^\\s"\'`,;[-][^\\s"\'`,;]{3,}',
    flags: 'i',
    isMasked: ({ name = '', value = '' }) => isSecret(value, name) && !plainWord.test(value) && !isNameOfOne(value)
  },
  // .netrc, on one line or on several.
  {
    before: '(?:\\bmachine[ \\t]{1,8}\\S{1,200}\\s{1,20}(?:login\\s{1,20}\\S{1,200}\\s{1,20})?|\\bdefault\\s{1,20}login\\s{1,20}\\S{1,200}\\s{1,20}|\\n[ \\t]{0,20}login[ \\t]{1,8}\\S{1,200}[ \\t]{0,8}\\n[ \\t]{0,20})(?:password|passwd)[ \\t]{1,8}',
    value: '[^\\s"\'\\\\]{3,400}',
    isMasked: ({ value = '' }) => isSecret(value, 'password'),
    reach: 500,
    needs: '(?:password|passwd)'
  },
  // .pgpass: host, port, database, user, password. Source positions of compilers have no word before their column number.
  {
    before: `${lineStart}[\\w.*/-]{1,200}:(?:\\d{3,5}|\\*):(?!\\d{1,20}:)[\\w.*-]{1,64}:[\\w.*@-]{1,64}:`,
    value: '(?:[^\\s"\'\\\\:]|\\\\[:\\\\]){4,400}',
    after: '(?=\\s|$|\\\\{1,8}[nr])',
    isMasked: ({ value = '' }) => isSecret(value, 'password'),
    reach: 500,
    needs: ':(?:\\d{3,5}|\\*):'
  },
  // Keys and certificates of .kube/config.
  { before: '\\b(?:client-key-data|id-token|refresh-token)\\\\{0,8}["\']?[ \\t]{0,8}:\\s{1,20}\\\\{0,8}["\']?', value: '[\\w+/=.-]{16,}' },
  // Lines of .env files and of shells: everything after the sign belongs to the value.
  {
    isNamed: true,
    before: `(?<name>${upperName})(?<=${lineStart}${setting}[A-Z\\d_]{0,60}\\k<name>)=`,
    value: '[^\\s"\'`$[](?:(?!\\\\{1,8}[nrt"])[^\\s"]){3,}',
    after: '(?=\\s|$|"|\\\\{1,8}[nrt"])',
    isMasked: ({ name = '', value = '' }) => isSecret(value, name)
  },
  {
    isNamed: true, before: `(?<name>${upperName})(?<=(?<![A-Za-z\\d_])[A-Z\\d_]{0,60}\\k<name>)=${quote}`, ...quoted,
    isMasked: isShellSecret
  },
  {
    isNamed: true, before: `(?<name>${secretName})(?<=${lineStart}${setting}[\\w.-]{0,60}\\k<name>)=${quote}`, ...quoted, flags: 'i',
    isMasked: isShellSecret
  },
  {
    before: '(?<![A-Za-z\\d_])(?!(?:[A-Z\\d]+_)?(?:PUBLIC|PRIMARY|FOREIGN|CACHE|SORT|INDEX)_)[A-Z][A-Z\\d_]{0,60}_KEY\\\\{0,8}["\']?\\]?[ \\t]{0,4}[:=][ \\t]{0,4}\\\\{0,8}["\']?',
    value: '[\\w+/-]{16,400}={0,2}',
    isMasked: ({ value = '' }) => isSecret(value, '') && /\d/.test(value) && /[A-Za-z]/.test(value)
  },
  // Names in markup, in tables, in sentences.
  {
    isNamed: true,
    before: `(?<name>${secretName})(?:[*_\`]{1,3}[ \\t]{0,4}[:|=]|[ \\t]{0,4}[:|=][*_]{1,3}|[ \\t]{1,40}\\||[ \\t]{0,4}:(?=[ \\t]{1,4}\`)|[ \\t]{1,4}is:?)[ \\t]{1,40}[*_\`"']{0,3}`,
    value: '[^\\s"\'`*|<>()[\\]{},;]{6,400}',
    flags: 'i',
    isMasked: isSpokenSecret
  },
  {
    isNamed: true,
    before: `(?<name>${upperName})(?<=(?:^|[\\s(])[A-Z\\d_]{0,60}\\k<name>)[ \\t]{1,40}`,
    value: '[^\\s"\'`*|<>()[\\]{},;]{6,400}',
    isMasked: isSpokenSecret
  },
  // Text over several lines in YAML, and names with their value beside them.
  {
    isNamed: true,
    before: `(?<name>${secretName})["']?:[ \\t]{0,4}[|>][-+\\d]{0,2}[ \\t]{0,4}(?:#[^\\n]{0,16})?\\r?\\n(?<indent>[ \\t]{1,40})`,
    value: '[^\\n]{4,400}(?:\\n\\k<indent>[^\\n]{1,400}){0,40}',
    flags: 'i',
    isMasked: ({ name = '', value = '' }) => value.split('\n').some((line) => isSecret(line.trim(), name)),
    lines: 41,
    until: /(?=\n(?![ \t]))/g
  },
  {
    isNamed: true,
    before: `(?<name>${secretName})(?=[\\s"',\\\\])\\\\{0,8}["']?[ \\t]{0,4},?(?:\\s|\\\\{1,8}[rn]){0,40}\\\\{0,8}["']?value\\\\{0,8}["']?[ \\t]{0,4}[:=][ \\t]{0,4}\\\\{0,8}["']?`,
    value: '[^\\s"\'\\\\,;<>(){}[\\]]{4,400}',
    after: '(?![^\\s"\'\\\\,;<>)}\\]])',
    flags: 'i',
    isMasked: ({ name = '', value = '' }) => isSecret(value, name) && !isNameOfOne(value),
    reach: 160
  },
  // Calls, and the parts of a JSON web key.
  {
    isNamed: true, before: `(?<=set_?|with_?)(?<name>${secretName})\\(${quote}`, ...quoted, flags: 'i',
    isMasked: ({ name = '', value = '' }) => isQuotedSecret(value, name)
  },
  { before: '\\bConvertTo-SecureString[ \\t]{1,4}(?:-String[ \\t]{1,4})?["\']?', value: '[^\\s"\'$]{4,400}' },
  {
    before: '\\\\{0,8}"(?:d|dp|dq|qi|k)\\\\{0,8}"[ \\t]{0,4}:[ \\t]{0,4}\\\\{0,8}"', value: '[\\w-]{32,}',
    isMasked: ({ value = '' }) => isRandom(value), needs: '"(?:d|dp|dq|qi|k)\\\\{0,8}"'
  },
  // Logins of package and image registries.
  {
    before: '(?:["\']|\\b_)auth\\\\{0,8}["\']?[ \\t]{0,8}[:=][ \\t]{0,8}\\\\{0,8}["\']?', value: '[\\w+/-]{12,400}={0,2}',
    isMasked: ({ value = '' }) => isRandom(value)
  },
  // Elements, and attributes of elements.
  {
    isNamed: true, before: `(?<=<[\\w:.-]{0,40})(?<name>${secretName})>`, value: '[^<>\\s[][^<>\\s]{3,200}', after: '(?=</)', flags: 'i',
    isMasked: ({ name = '', value = '' }) => isSecret(value, name)
  },
  {
    isNamed: true, before: `(?<=key=\\\\{0,8}["'][\\w.-]{0,40})(?<name>${secretName})\\\\{0,8}["']\\s{1,20}value=${quote}`, ...quoted,
    flags: 'i', isMasked: isShellSecret
  },
  // Assignments in programs, JSON, YAML, TOML: in quotation marks (also in texts inside of texts), then bare ones.
  {
    isNamed: true,
    before: `(?<name>${secretName})(?:\\\\{0,8}["'])?\\]?[ \\t]{0,8}(?::[ \\t]{0,4}(?:string|str|&str)[ \\t]{0,4}=|:=|=>|={1,3}|:)[ \\t]{0,8}[rbf]?${quote}`,
    ...quoted,
    flags: 'i',
    isMasked: ({ name = '', value = '' }) => isQuotedSecret(value, name)
  },
  {
    isNamed: true,
    before: `(?<name>${secretName})(?:(?<line>(?<=${lineStart}["']?[\\w.-]{0,80}\\k<name>))|)(?<sign>(?:\\\\{0,8}["'])?[ \\t]{0,8}(?::=|=>|=|:)[ \\t]{0,8})`,
    value: '[^\\s"\'`\\\\,;&<>(){}[\\]|]{4,400}',
    // An alternative instead of a question mark, because the end of the text is empty and an optional group does not match anything empty.
    after: '(?=(?:(?<end>[ \\t]{0,8}(?:[\\r\\n]|\\\\{1,8}[nr]|\\\\{0,8}"?$))|)(?<next>.)?)',
    flags: 'i',
    isMasked: ({ name = '', sign = '', value = '', line, end, next = '' }) =>
      isBareSecret({ name, sign, value, isLine: line !== undefined && end !== undefined, next: end === undefined ? next : '' })
  }
]

const header = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^x-(?:[\w-]+-)?(?:auth(?:entication|orization)?|access|credentials?|session)$/i

/** Whether the value of a key is a secret, by the key's name. */
export const isSecretOfKey = (key: string, value: string): boolean =>
  (endsInName.test(key) && isQuotedSecret(value, key)) || (header.test(key) && isSecret(value, key))
