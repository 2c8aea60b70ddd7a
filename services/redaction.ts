// What looks like a credential, wherever texts leave the service: titles, previews, transcripts, exports, shares, logs.
// One list at one place; paths and identifiers are never touched.

/** Shown in the place of what was masked. */
export const mask = '[redacted]'

/** Beginnings that every pattern below has one of: most texts contain none and are left after one look. */
const hint = /sk-|[sr]k_|pk_|gh[opsur]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|ya29\.|hf_|npm_|gsk_|xai-|pypi-|dop_v1_|SG\.|eyJ|-----BEGIN|:\/\/|bearer|basic |passw|secret|token|api[_-]?key|apikey|access[_-]?key|credential/i

const patterns: Array<[pattern: RegExp, replacement: string]> = [
  // Whole blocks first, as their inside may look like something else.
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g, mask],
  // Keys of known services, by their prefix.
  [/\b(?:sk-(?:ant-|proj-|or-v1-|svcacct-)?[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pypi-[\w-]{30,}|dop_v1_[a-f0-9]{40,}|SG\.[\w-]{16,}\.[\w-]{16,})/g, mask],
  // JSON web tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/g, mask],
  // Headers.
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{12,}/gi, `$1$2${mask}`],
  // Addresses with a password in them.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,100}):[^\s@/"'<>]{1,200}@/gi, `$1:${mask}@`],
  // Assignments, in shells, .env files, JSON, YAML: a name that says it is a secret, and a value long enough to be one.
  [/((?:[\w-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credential)s?)(?:\\?["'])?\s*(?:=|:)\s*(?:\\?["'])?)(?!\[redacted\]|[$<{]|\d+(?:[.,]\d+)*(?![\w-])|(?:true|false|null|none|undefined|string|number|boolean|unknown|optional|required)\b|process\.env|os\.environ|import\.meta)([^\s"'\\,;&<>(){}[\]]{6,})/gi, `$1${mask}`]
]

/** The text with what looks like a credential masked; the very same text when there is nothing. */
export function redact (text: string): string {
  if (!hint.test(text)) return text
  let masked = text
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement)
  return masked
}

/** Keys whose texts are identifiers or places: they stay as they are. */
const kept = new Set(['id', 'message_id', 'tool_call_id', 'tool_use_id', 'call_id', 'tid', 'session_id', 'parent_session_id', 'project_id', 'stream_id', 'workspace', 'worktree_path', 'path', 'role', 'name', 'type', 'model', 'mime'])

/** A copy of a JSON value with every text in it redacted, or the value itself when nothing had to be masked. */
export function redactDeep<T> (value: T): T {
  return walk(value, 0) as T
}

const deepest = 50

function walk (value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    copy[key] = kept.has(key) && typeof item === 'string' ? item : walk(item, depth + 1)
    changed ||= copy[key] !== item
  }
  return changed ? copy : value
}
