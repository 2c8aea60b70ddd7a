// What looks like a credential, wherever texts leave the service: titles, previews, transcripts, exports, shares, logs.
// One list at one place; paths and identifiers are never touched. Every repetition has a limit or a fixed beginning, so
// that no text takes long: https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS

/** Shown in the place of what was masked. */
export const mask = '[redacted]'

/** Names of values that are secrets, at the end of longer names as well. */
const secretName = '(?:passwords?|passwd|passphrase|passcode|pwd|(?<=[_-])pass|secrets?|tokens?|(?:api|access|secret|private|account|auth|encryption|signing|master|service|licen[cs]e)[ _-]?keys?)'

/** Beginnings that every pattern below has one of: most texts contain none and are left after one look. */
const hint = /sk-|[srp]k_|gh[opsur]_|github_pat_|gl(?:pat|ptt|dt|rt)-|xox|xapp-|hooks\.slack|webhooks|AKIA|ASIA|AIza|ya29\.|GOCSPX-|hf_|npm_|gsk_|xai-|pplx-|nvapi-|r8_|pypi-|do[opr]_v1_|dckr_|shp|sq0|glsa_|hvs\.|whsec_|tskey-|lin_api_|ATATT3|AGE-SECRET|dapi|key-|SG\.|eyJ|-----BEGIN|:\/\/|bearer|basic|authorization|cookie|user |-u|pass|pwd|secret|token|key/i

/** Keys of known services, by their prefix. Those that could be words of a text have a digit in them. */
const knownKeys = [
  'sk-(?=[\\w-]{0,60}\\d)(?:ant-|proj-|or-v1-|svcacct-)?[\\w-]{16,}', '[sr]k_(?:live|test)_\\w{10,}', 'whsec_[\\w+/=]{16,}',
  'gh[opsur]_[A-Za-z0-9]{20,}', 'github_pat_\\w{20,}', 'gl(?:pat|ptt|dt|rt)-[\\w-]{16,}',
  'xox[abeoprs]-[\\w-]{10,}', 'xapp-\\d-[\\w-]{10,}', '(?:AKIA|ASIA)[A-Z0-9]{16}(?!\\w)',
  'AIza[\\w-]{30,}', 'ya29\\.[\\w-]{20,}', 'GOCSPX-[\\w-]{20,}',
  'hf_[A-Za-z0-9]{20,}', 'npm_[A-Za-z0-9]{30,}', 'gsk_[A-Za-z0-9]{20,}', 'xai-[A-Za-z0-9]{20,}', 'pplx-[A-Za-z0-9]{20,}', 'nvapi-[\\w-]{20,}', 'r8_[A-Za-z0-9]{20,}',
  'pypi-[\\w-]{30,}', 'do[opr]_v1_[a-f0-9]{40,}(?!\\w)', 'dckr_pat_[\\w-]{20,}', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?!\\w)', 'sq0(?:atp|csp)-[\\w-]{20,}',
  'glsa_\\w{20,}', 'hvs\\.[\\w-]{20,}', 'tskey-[a-z]{2,10}-[\\w-]{10,}', 'lin_api_[A-Za-z0-9]{20,}', 'ATATT3[\\w=-]{20,}', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}(?!\\w)',
  'dapi[a-f0-9]{32}(?!\\w)', 'key-[a-f0-9]{32}(?!\\w)', 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'
]

/** Stands for a value that is elsewhere, or for none. */
const placeholder = /^(?:0x[\da-f]{1,8}|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.]*\}|<.*|%\w+%|[*x•._-]+|your[ _-].*|\[redacted\].*)$/i
const words = /^(?:true|false|null|nil|none|undefined|string|number|boolean|bool|unknown|never|object|optional|required|varchar|buffer|include|inherit|omit|same-origin|hidden|disabled|enabled|missing|invalid|expired)[.!?:]?$/i
/** Names of ways to write or to hash something. */
const technique = /^(?:base\d\d|utf-?\d+|sha-?\d|[hrep]s\d{3}|oauth|md5|x509|argon2|aes-?\d|ed25519|rfc)/i
const count = /^\d[\d.,_]*[kKmM%]?$/
const version = '[~^<>=v]{0,3}\\d+(?:\\.\\d+){1,3}(?:[-+][\\w.-]+)?'
const versions = new RegExp(`^${version}(?:[ |]+${version})*$`)
const place = /^(?:~|\.{1,2})?\/(?:[\w.@-]+\/)*[\w.@-]+$|^[a-z][a-z0-9+.-]*:\/\/|^(?:process\.env|os\.environ|import\.meta|env)\b/i
const plainWord = /^[A-Za-z]+[.!?:]?$/
const whollyName = new RegExp(`^${secretName}$`, 'i')
const endsInName = new RegExp(`${secretName}$`, 'i')
const holdsName = new RegExp(secretName, 'i')

function isSecret (value: string, name: string): boolean {
  if ([placeholder, words, versions, place].some((pattern) => pattern.test(value))) return false
  // So many tokens; but a password may be a number.
  if (count.test(value)) return !/(?:keys|tokens?|secrets|passwords)$/i.test(name) && value.length >= 6
  return value.length >= (/pass|pwd|secret/i.test(name) ? 4 : 6)
}

/** In quotation marks: a caption is not a secret, a passphrase of several words is. */
function isQuotedSecret (value: string, name: string): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return !/\s/.test(value) || /passphrase/i.test(name) || value.split(/\s+/).some((word) => word.length >= 6 && isRandom(word) && !technique.test(word))
}

/** Without quotation marks: it may be an expression, a type, or the beginning of a sentence. `next`: what stands behind it. */
function isBareSecret ({ name, sign, value, isLine, next }: { name: string, sign: string, value: string, isLine: boolean, next: string }): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  const isPath = /^[A-Za-z_$]+(?:\??\.#?[A-Za-z_$]+)+\??$/.test(value)
  if (isPath || /[([{<`]/.test(next)) return false
  if (!plainWord.test(value)) return isLine || !/[:>]\s+$/.test(sign) || (/\d/.test(value) && !technique.test(value))
  // In a program a mere word is a variable or a type; in a file of settings it stands alone on its line.
  if (/\s$/.test(sign)) return isLine && sign.trim() === ':' && !/[a-z][A-Z]|^[A-Z]/.test(value)
  return !/[,)]/.test(next)
}

/** `newPassword`, `AccessToken`, `user_token`: what it is called, not what it is. */
function isNameOfOne (value: string): boolean {
  return whollyName.test(value) || (/^[A-Za-z_$ .?!-]+$/.test(value) && /[a-z][A-Z]|[_ -]|^[A-Z]/.test(value) && holdsName.test(value))
}

/** Not a word: digits, or letters of both cases in a mixture that no name has. */
function isRandom (value: string): boolean {
  return /\d/.test(value) || /[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value)
}

/** `before` stays, `value` is masked when `isMasked` says so; with `within`, that part of it alone. */
interface Rule {
  pattern: RegExp
  isMasked?: (groups: Record<string, string | undefined>) => boolean
  within?: RegExp
}

const privateKey = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
/** Between two lines, in texts of texts as well. */
const gap = '(?:\\s|\\\\{1,8}[nr]|\\d{1,6}(?:\\t|\\\\{1,8}t)){0,60}'

/** Of lines in texts of texts as well, of diffs, and with their number, as tools show them. */
const lineStart = '(?<=^|[\\n\\r"]|\\\\[nr])[ \\t>|#*+-]{0,40}(?:(?:[\\w./-]{1,200}:)?\\d{1,7}[\\t:|-])?[ \\t-]{0,40}'

const rules: Rule[] = [
  // Whole blocks first, as their inside may look like something else; of one that is cut off, what is there of its lines.
  { pattern: new RegExp(`(?<value>-----BEGIN ${privateKey}(?:[^-]{0,20000}-----END ${privateKey}|(?:${gap}[\\w-]{1,30}: [^\\n\\r\\\\]{0,200})*(?:${gap}[\\w+/=]{24,})*(?:${gap}[\\w+/=]{1,64}(?=${gap}-----END|$))?(?:${gap}-----END ${privateKey})?))`, 'g') },
  { pattern: new RegExp(`\\b(?<value>${knownKeys.join('|')})`, 'g') },
  // JSON web tokens.
  { pattern: /(?<![\w-])(?<value>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,})/g },
  // Addresses that are a secret as a whole.
  { pattern: /(?<before>hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)(?<value>[\w/-]{10,})/gi },
  // Headers.
  {
    pattern: /\b(?<before>(?:proxy-)?authorization\\{0,4}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,4}["']?(?<scheme>(?:bearer|basic|digest|token|apikey|key)[ \t]{1,4})?)(?<value>[^\s"'\\,;$<{[]{6,400})/gi,
    isMasked: ({ scheme, value = '' }) => isSecret(value, '') && !isNameOfOne(value) && (scheme !== undefined || isRandom(value))
  },
  { pattern: /\b(?<before>(?:bearer|basic)[ \t]{1,8})(?<value>[\w.~+/=-]{12,})/gi, isMasked: ({ value = '' }) => isRandom(value) },
  { pattern: /\b(?<before>(?:set-)?cookie:[ \t]{0,8})(?<value>[^\r\n"']{8,})/gi, within: /(?<==)[^;\s[]{8,}/g },
  // Addresses, and options of commands, with a password in them.
  { pattern: /\b(?<before>[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,100}:)(?!\$\{|\$[A-Z_]{1,80}@|\{\{)(?<value>[^\s@/"'<>[\]]{1,200})(?=@)/g },
  { pattern: /(?<before>\bcurl\b[^\n]{0,200}?\s(?:-u|--user|--proxy-user)[ \t=]{1,4}["']?[\w.@-]{1,80}:)(?![$<])(?<value>[^\s"':/]{4,})/g },
  {
    pattern: new RegExp(`(?<before>--[a-z-]{0,30}?(?<name>${secretName})[ \\t]{1,4}["']?)(?<value>[^\\s"'\`,;[-][^\\s"'\`,;]{3,})`, 'gi'),
    isMasked: ({ name = '', value = '' }) => isSecret(value, name) && !plainWord.test(value) && !isNameOfOne(value)
  },
  // Lines of .env files and of shells: everything behind the sign belongs to the value.
  {
    pattern: new RegExp(`(?<before>${lineStart}(?:export[ \\t]{1,4}|ENV[ \\t]{1,4}|\\$env:)?(?<name>[A-Z\\d_]{0,60}?${secretName.toUpperCase()})=)(?<value>[^\\s"'\`$[](?:(?!\\\\{1,8}[nrt"])[^\\s"]){3,})(?=\\s|$|"|\\\\{1,8}[nrt"])`, 'g'),
    isMasked: ({ name = '', value = '' }) => isSecret(value, name)
  },
  // Elements.
  { pattern: new RegExp(`(?<before><[\\w:.-]{0,40}?(?<name>${secretName})>)(?<value>[^<>\\s[][^<>\\s]{3,200})(?=</)`, 'gi'), isMasked: ({ name = '', value = '' }) => isSecret(value, name) },
  // Assignments in programs, JSON, YAML, TOML: in quotation marks (of texts in texts as well), then bare ones.
  {
    pattern: new RegExp(`(?<before>(?<name>${secretName})(?:\\\\{0,8}["'])?\\]?[ \\t]{0,8}(?::[ \\t]{0,4}(?:string|str|&str)[ \\t]{0,4}=|:=|=>|={1,3}|:)[ \\t]{0,8}[rbf]?(?<quote>\\\\{0,8}["'\`]))(?<value>(?:(?!(?<!\\\\)\\k<quote>)[^\\n]){1,1000})(?=\\k<quote>)`, 'gi'),
    isMasked: ({ name = '', value = '' }) => isQuotedSecret(value, name)
  },
  {
    pattern: new RegExp(`(?<before>(?<line>${lineStart}["']?[\\w.-]{0,80}?)?(?<name>${secretName})(?<sign>(?:\\\\{0,8}["'])?[ \\t]{0,8}(?::=|=>|=|:)[ \\t]{0,8}))(?<value>[^\\s"'\`\\\\,;&<>(){}[\\]|]{4,400})(?=(?<end>[ \\t]{0,8}(?:[\\r\\n]|\\\\{1,8}[nr]|\\\\{0,8}"?$))?(?<next>.)?)`, 'gi'),
    isMasked: ({ name = '', sign = '', value = '', line, end, next = '' }) => isBareSecret({ name, sign, value, isLine: line !== undefined && end !== undefined, next: end === undefined ? next : '' })
  }
]

/** The text with what looks like a credential masked; the very same text when there is nothing. */
export function redact (text: string): string {
  return hint.test(text) ? rules.reduce(apply, text) : text
}

const longestLooked = 400
const rest = /[^\s"'`\\,;&<>(){}[\]|]*/y

function apply (text: string, { pattern, isMasked, within }: Rule): string {
  const pieces: string[] = []
  let from = 0
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { before = '', value = '' } = found.groups!
    const start = found.index + before.length
    let end = start + value.length
    if (isMasked?.(found.groups!) === false) {
      // What was no value may be the name of the next one.
      pattern.lastIndex = start
      continue
    }
    pieces.push(text.slice(from, start), within === undefined ? mask : value.replaceAll(within, mask))
    // A pattern looks at so much of a value; what is longer belongs to it as a whole.
    if (value.length === longestLooked) {
      rest.lastIndex = end
      end += rest.exec(text)![0].length
    }
    from = end
    pattern.lastIndex = from
  }
  return from === 0 ? text : pieces.join('') + text.slice(from)
}

/** Keys whose texts are identifiers or places: they stay as they are. */
const kept = new Set(['id', 'message_id', 'tool_call_id', 'tool_use_id', 'call_id', 'tid', 'session_id', 'parent_session_id', 'project_id', 'stream_id', 'workspace', 'worktree_path', 'path', 'role', 'name', 'type', 'model', 'mime'])
/** Below these stands what a model has made up: no key means what it is called. */
const ofTools = new Set(['args', 'input', 'arguments', 'todos'])

/**
 * A copy of a JSON value with every text in it redacted, or the value itself when nothing had to be masked. An error with
 * something to mask becomes a plain object; other objects with a class of their own are not looked into.
 */
export function redactDeep<T> (value: T): T {
  return walk(value, { depth: 0, isOfTool: false }) as T
}

const deepest = 50

function walk (value: unknown, place: { depth: number, isOfTool: boolean }): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || place.depth > deepest) return value
  const below = { ...place, depth: place.depth + 1 }
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, below))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (value instanceof Error) return error(value, below)
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    copy[key] = entry(key, item, { ...below, isOfTool: place.isOfTool || ofTools.has(key) })
    changed ||= copy[key] !== item
  }
  return changed ? copy : value
}

/** What a log shows of an error is not enumerable. */
function error (value: Error, place: { depth: number, isOfTool: boolean }): unknown {
  const { name: type, message, stack, ...own } = Object.assign({ name: value.name, message: value.message, stack: value.stack }, value)
  const plain = { type, message, stack, ...(value.cause === undefined ? {} : { cause: value.cause }), ...own }
  const copy = walk(plain, place)
  return copy === plain ? value : copy
}

function entry (key: string, item: unknown, place: { depth: number, isOfTool: boolean }): unknown {
  if (typeof item !== 'string') return walk(item, place)
  if (kept.has(key) && !place.isOfTool) return item
  return endsInName.test(key) && isQuotedSecret(item, key) ? mask : redact(item)
}
