// What looks like a credential, wherever texts leave the service: titles, previews, transcripts, exports, shares, logs.
// One list at one place; paths and identifiers are never touched. Every repetition has a limit or a fixed beginning, so
// that no text takes long: https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS

/** Shown in the place of what was masked. */
export const mask = '[redacted]'

/** Names of values that are secrets, at the end of longer names as well. */
const secretName = '(?:passwords?|passwd|passphrase|passcode|pwd|(?<=[_-])pass|secrets?|tokens?|(?:api|access|secret|private|account|auth|encryption|signing|master|service|licen[cs]e)[ _-]?keys?)'
const quoteMark = '["\'`]'

/** Beginnings that every pattern below has one of: most texts contain none and are left after one look. */
const hint = /sk-|[srp]k_|gh[opsur]_|github_pat_|gl(?:pat|ptt|dt|rt)-|xox|xapp-|hooks\.slack|webhooks|AKIA|ASIA|AIza|ya29\.|GOCSPX-|hf_|npm_|gsk_|xai-|pplx-|nvapi-|r8_|pypi-|do[opr]_v1_|dckr_|shp|sq0|glsa_|hvs\.|whsec_|tskey-|lin_api_|ATATT3|AGE-SECRET|dapi|key-|SG\.|eyJ|-----BEGIN|:\/\/|bearer|basic|authorization|cookie|user |-u|pass|pwd|secret|token|key/i

/** Keys of known services, by their prefix. Those that could be words of a text have a digit in them. */
const knownKeys = [
  'sk-(?=[\\w-]{0,60}\\d)(?:ant-|proj-|or-v1-|svcacct-)?[\\w-]{16,}', '[sr]k_(?:live|test)_\\w{10,}', 'whsec_[\\w+/=]{16,}',
  'gh[opsur]_[A-Za-z0-9]{20,}', 'github_pat_\\w{20,}', 'gl(?:pat|ptt|dt|rt)-[\\w-]{16,}',
  'xox[abeoprs]-[\\w-]{10,}', 'xapp-\\d-[\\w-]{10,}', '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[\\w-]{30,}', 'ya29\\.[\\w-]{20,}', 'GOCSPX-[\\w-]{20,}',
  'hf_[A-Za-z0-9]{20,}', 'npm_[A-Za-z0-9]{30,}', 'gsk_[A-Za-z0-9]{20,}', 'xai-[A-Za-z0-9]{20,}', 'pplx-[A-Za-z0-9]{20,}', 'nvapi-[\\w-]{20,}', 'r8_[A-Za-z0-9]{20,}',
  'pypi-[\\w-]{30,}', 'do[opr]_v1_[a-f0-9]{40,}', 'dckr_pat_[\\w-]{20,}', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}', 'sq0(?:atp|csp)-[\\w-]{20,}',
  'glsa_\\w{20,}', 'hvs\\.[\\w-]{20,}', 'tskey-[a-z]{2,10}-[\\w-]{10,}', 'lin_api_[A-Za-z0-9]{20,}', 'ATATT3[\\w=-]{20,}', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}',
  'dapi[a-f0-9]{32}', 'key-[a-f0-9]{32}(?![a-f0-9])', 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'
]

type Replacer = string | ((...groups: string[]) => string)

const patterns: Array<[pattern: RegExp, replacement: Replacer]> = [
  // Whole blocks first, as their inside may look like something else; of one that is cut off, what is there of its lines.
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s|\\[nr]|[\w-]{1,30}: [^\n]{0,200}\n)*(?:[\w+/=]{24,}(?:\s|\\[nr])*)*(?:[\w+/=]{1,64}$)?)/g, mask],
  [new RegExp(`\\b(?:${knownKeys.join('|')})`, 'g'), mask],
  // JSON web tokens.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/g, mask],
  // Addresses that are a secret as a whole.
  [/(hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)[\w/-]{10,}/gi, `$1${mask}`],
  // Headers.
  [/\b((?:proxy-)?authorization\\{0,4}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,4}["']?(?:[a-z][\w-]{0,20}[ \t]{1,4})?)([^\s"'\\,;$<{[]{6,})/gi, `$1${mask}`],
  [/\b(bearer|basic)([ \t]{1,8})([\w.~+/=-]{12,})/gi, (all, scheme, space, value) => isRandom(value!) ? `${scheme}${space}${mask}` : all!],
  [/\b((?:set-)?cookie:[ \t]{0,8})([^\r\n"']{8,})/gi, (_all, name, pairs) => `${name}${pairs!.replaceAll(/=[^;\s[]{8,}/g, `=${mask}`)}`],
  // Addresses, and options of commands, with a password in them.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,100}):(?![${<[])[^\s@/"'<>]{1,200}@/gi, `$1:${mask}@`],
  [/(\s(?:-u|--user|--proxy-user)[ \t=]{1,4}["']?[\w.@-]{1,80}):(?![$<[])([^\s"':/]{4,})(?=["'\s]|$)/g, `$1:${mask}`],
  [new RegExp(`(--[a-z-]{0,30}${secretName}[ \\t]{1,4}${quoteMark}?)([^\\s"'\`,;]{4,})`, 'gi'), (all, option, value) => isSecret(value!) ? `${option}${mask}` : all!],
  // Lines of .env files and of shells: everything behind the sign belongs to the value.
  [/^([ \t]{0,40}(?:export[ \t]{1,4}|ENV[ \t]{1,4}|\$env:)?(?=[A-Z\d_]{0,60}(?:PASS|PWD|SECRET|TOKEN|KEY))[A-Z_][A-Z\d_]{2,80}=)([^\s"'`$][^\s#]{5,})(?=\s|$)/gm, (all, name, value) =>
    new RegExp(`${secretName}=$`, 'i').test(name!) && isSecret(value!, name) ? `${name}${mask}` : all!],
  // Elements.
  [new RegExp(`(<([\\w:.-]{0,40}${secretName})>)([^<>\\s]{4,200})(?=</)`, 'gi'), (all, opening, name, value) => isSecret(value!, name) ? `${opening}${mask}` : all!],
  // Assignments in programs, JSON, YAML, TOML: in quotation marks (of texts in texts as well), then bare ones.
  [new RegExp(`(${secretName})((?:\\\\{0,8}["'])?\\]?[ \\t]{0,8}(?::[ \\t]{0,4}(?:string|str|&str|String)[ \\t]{0,4}=|:=|=>|={1,3}|:)[ \\t]{0,8}[rbf]?)(\\\\{0,8})(${quoteMark})((?:(?!\\3\\4)(?:\\\\.|[^\\n\\\\])){1,1000})(?=\\3\\4)`, 'gi'),
    (all, name, sign, escape, quote, value) => isQuotedSecret(value!, name!) ? `${name}${sign}${escape}${quote}${mask}` : all!],
  [new RegExp(`((?<=[\\n\\r]|^)[ \\t>|#*-]{0,40}[\\w.-]{0,80}?)?(${secretName})((?:\\\\{0,8}["'])?[ \\t]{0,8}(?::=|=>|=|:)[ \\t]{0,8})([^\\s"'\`\\\\,;&<>(){}[\\]|]{4,})(?=([ \\t]*(?:[\\r\\n]|$))?(.)?)`, 'gi'),
    (all, line, name, sign, value, end, next) => isBareSecret({ name: name!, sign: sign!, value: value!, isLine: line !== undefined && end !== undefined, next: end === undefined ? next ?? '' : '' })
      ? `${line ?? ''}${name}${sign}${mask}`
      : all!]
]

/** The text with what looks like a credential masked; the very same text when there is nothing. */
export function redact (text: string): string {
  if (!hint.test(text)) return text
  let masked = text
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement as string)
  return masked
}

/** Stands for a value that is elsewhere, or for none. */
const placeholder = /^(?:\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.]*\}|<.*|%\w+%|[*x•._-]+|your[ _-].*|\[redacted\].*)$/i
const words = /^(?:true|false|null|nil|none|undefined|string|number|boolean|bool|unknown|never|object|optional|required|varchar|buffer|include|omit|same-origin|hidden|disabled|enabled|missing|invalid|expired)\b/i
/** Names of ways to write or to hash something. */
const technique = /^(?:base\d\d|utf-?\d+|sha-?\d|[hrep]s\d{3}|oauth|md5|x509|argon2|aes-?\d|ed25519|rfc)/i
const count = /^\d[\d.,_]*[kKmM%]?$/
const place = /^(?:~|\.{1,2})?\/(?:[\w.@-]+\/)*[\w.@-]+$|^[a-z][a-z0-9+.-]*:\/\//i

function isSecret (value: string, name = ''): boolean {
  if (placeholder.test(value) || words.test(value) || place.test(value) || /^(?:process\.env|os\.environ|import\.meta|env[.[(])/.test(value)) return false
  // So many tokens, but a password may be a number.
  if (count.test(value)) return !/tokens?=?$/i.test(name) && value.length >= 6
  return value.length >= (/pass|pwd|secret/i.test(name) ? 4 : 6)
}

/** In quotation marks: a caption is not a secret, a passphrase of several words is. */
function isQuotedSecret (value: string, name: string): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return !/\s/.test(value) || /passphrase/i.test(name) || value.split(/\s+/).some((word) => word.length >= 6 && isRandom(word) && !technique.test(word))
}

/** Without quotation marks: it may be an expression, a type, or the beginning of a sentence. */
function isBareSecret ({ name, sign, value, isLine, next }: { name: string, sign: string, value: string, isLine: boolean, next: string }): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  if (/[([{<`"']/.test(next) || /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][A-Za-z_$]*)+\??$/.test(value)) return false
  const isPlainWord = /^[A-Za-z]+[.!?:]?$/.test(value)
  // `name: value` inside a line is how people write; alone on a line it is how files are written.
  if (/[:>]\s+$/.test(sign) && !isLine) return !isPlainWord && /\d/.test(value) && !technique.test(value)
  // Types and variables have such names; keys that are only letters are rare.
  if (isPlainWord && /[\s:>]$/.test(sign)) return !/[a-z][A-Z]|^[A-Z]/.test(value)
  return true
}

/** `newPassword`, `AccessToken`, `user_token`: what it is called, not what it is. */
function isNameOfOne (value: string): boolean {
  return /^[A-Za-z_$ .?!-]+$/.test(value) && new RegExp(secretName, 'i').test(value)
}

/** Not a word: digits, or letters of both cases in a mixture that no name has. */
function isRandom (value: string): boolean {
  return /\d/.test(value) || /=$/.test(value) || /[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value)
}

/** Keys whose texts are identifiers or places: they stay as they are. */
const kept = new Set(['id', 'message_id', 'tool_call_id', 'tool_use_id', 'call_id', 'tid', 'session_id', 'parent_session_id', 'project_id', 'stream_id', 'workspace', 'worktree_path', 'path', 'role', 'name', 'type', 'model', 'mime'])
/** Below these stands what a model has made up: no key means what it is called. */
const ofTools = new Set(['args', 'input', 'arguments', 'todos'])
const namesSecret = new RegExp(`${secretName}$`, 'i')

/** A copy of a JSON value with every text in it redacted, or the value itself when nothing had to be masked. */
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
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    copy[key] = entry(key, item, { ...below, isOfTool: place.isOfTool || ofTools.has(key) })
    changed ||= copy[key] !== item
  }
  return changed ? copy : value
}

function entry (key: string, item: unknown, place: { depth: number, isOfTool: boolean }): unknown {
  if (typeof item !== 'string') return walk(item, place)
  if (kept.has(key) && !place.isOfTool) return item
  return namesSecret.test(key) && isQuotedSecret(item, key) ? mask : redact(item)
}
