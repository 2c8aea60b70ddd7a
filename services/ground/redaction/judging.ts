// Whether what stands where a credential would stand is one: a placeholder, a type, a word of a sentence is not.

/** Names of values that are secrets, at the end of longer names as well. */
export const secretName = '(?:passwords?|passwd|passphrase|passcode|pwd|(?<![A-Za-z])pw|(?<=[_-])pass|(?<![A-Za-z_-])pass(?==[^=\\s])|secrets?|tokens?|(?:api|access|secret|private|account|auth|encryption|signing|master|service|licen[cs]e)[ _-]?keys?)'

/** Stands for a value that is elsewhere, or for none. */
const placeholder = /^(?:0x[\da-f]{1,8}|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.]*\}|<.*|%\w+%|[*x•._-]+|your[ _-].*|\[redacted\].*)$/i
const words = /^(?:true|false|null|nil|none|undefined|string|number|boolean|bool|unknown|never|object|optional|required|varchar|buffer|include|inherit|omit|same-origin|hidden|disabled|enabled|missing|invalid|expired)[.!?:]?$/i
/** Names of ways to write or to hash something. */
const technique = /^(?:base\d\d|utf-?\d+|sha-?\d|[hrep]s\d{3}|oauth|md5|x509|argon2|aes-?\d|ed25519|rfc)/i
const longestCount = 20
const count = /^\d[\d.,_]*[kKmM%]?$/
const version = '[~^<>=v]{0,3}\\d+(?:\\.\\d+){1,3}(?:[-+][\\w.-]+)?'
const versions = new RegExp(`^${version}(?:[ |]+${version})*$`)
const place = /^(?:~|\.{1,2})?\/(?:[\w.@-]+\/)*[\w.@-]+$|^[a-z][a-z0-9+.-]*:\/\/|^(?:process\.env|os\.environ|import\.meta|env)\b/i
export const plainWord = /^[A-Za-z]+[.!?:]?$/
const whollyName = new RegExp(`^${secretName}$`, 'i')
export const endsInName = new RegExp(`${secretName}$`, 'i')
const holdsName = new RegExp(secretName, 'i')
/** Parameters that are a secret whatever they look like; the others of their kind carry small words and numbers as well. */
const signingParameter = /sig|hmac|secret|pass|pw|token|jwt|assertion|credential/i

export function isSecret (value: string, name: string): boolean {
  if ([placeholder, words, versions, place].some((pattern) => pattern.test(value))) return false
  // So many tokens; but a password may be a number.
  if (count.test(value)) return value.length >= longestCount || (!/(?:keys|tokens?|secrets|passwords)$/i.test(name) && value.length >= 6)
  return value.length >= (/pass|pwd|pw$|secret/i.test(name) ? 4 : 6)
}

/** In quotation marks: a caption is not a secret, a passphrase of several words is. */
export function isQuotedSecret (value: string, name: string): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return !/\s/.test(value) || /passphrase/i.test(name) ||
    value.split(/\s+/).some((word) => word.length >= 6 && isRandom(word) && !technique.test(word))
}

/** In quotation marks at once behind the sign, as shells and settings have it: several words are a passphrase, but for captions. */
export function isShellSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return isQuotedSecret(value, name) || (/pass|pwd|pw$|secret/i.test(name) && !holdsName.test(value) && !/^\$|[<{]/.test(value))
}

/** Without quotation marks: it may be an expression, a type, or the beginning of a sentence. `next`: what stands behind it. */
export function isBareSecret ({
  name, sign, value, isLine, next
}: { name: string, sign: string, value: string, isLine: boolean, next: string }): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  const isPath = /^[A-Za-z_$]+(?:\??\.#?[A-Za-z_$]+)+\??$/.test(value)
  if (isPath || /[([{<`]/.test(next)) return false
  if (!plainWord.test(value)) return isLine || !/[:>]\s+$/.test(sign) || (/\d/.test(value) && !technique.test(value))
  // In a program a mere word is a variable or a type; in a file of settings it stands alone on its line.
  if (/\s$/.test(sign)) return isLine && sign.trim() === ':' && !/[a-z][A-Z]|^[A-Z]/.test(value)
  return !/[,)]/.test(next)
}

/** Of a header that is named after one. In quotation marks, as commands have it, a word is one as well. */
export function isHeaderSecret ({ value = '', end }: Record<string, string | undefined>): boolean {
  return isSecret(value, '') && !isNameOfOne(value) && (end !== undefined || !plainWord.test(value))
}

/** Of a sentence, of a table: only what no word looks like. */
export function isSpokenSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value) || technique.test(value) || /^\d+[-.:x/]?[a-z]*\.?$/i.test(value)) return false
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)
}

/** Of an address. */
export function isParameterSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return signingParameter.test(name)
    ? !plainWord.test(value) || value.length >= 16
    : value.length >= 12 && isRandom(value) && !/%[c-f][\da-f]%/i.test(value)
}

/** `newPassword`, `AccessToken`, `user_token`: what it is called, not what it is. */
export function isNameOfOne (value: string): boolean {
  return whollyName.test(value) || (/^[A-Za-z_$ .?!-]+$/.test(value) && /[a-z][A-Z]|[_ -]|^[A-Z]/.test(value) && holdsName.test(value))
}

/** Not a word: digits, or letters of both cases in a mixture that no name has. */
export function isRandom (value: string): boolean {
  return /\d/.test(value) || /[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value)
}
