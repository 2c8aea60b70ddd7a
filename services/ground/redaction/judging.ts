// Decides whether a value in the place of a credential is one: a placeholder, a type or a word of a sentence is not.

/** Names of values that are secrets, also at the end of longer names. */
export const secretName = '(?:passwords?|passwd|passphrase|passcode|pwd|(?<![A-Za-z])pw|(?<=[_-])pass|(?<![A-Za-z_-])pass(?==[^=\\s])|secrets?|tokens?|(?:api|access|secret|private|account|auth|encryption|signing|master|service|licen[cs]e)[ _-]?keys?)'

/** Values that refer to one elsewhere, or to none. */
const placeholder = /^(?:0x[\da-f]{1,8}|\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.]*\}|<.*|%\w+%|[*x•._-]+|your[ _-].*|\[redacted\].*)$/i
const words = /^(?:true|false|null|nil|none|undefined|string|number|boolean|bool|unknown|never|object|optional|required|varchar|buffer|include|inherit|omit|same-origin|hidden|disabled|enabled|missing|invalid|expired)[.!?:]?$/i
/** Names of encodings, hashes and similar techniques. */
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
/** Parameters that are secret whatever they look like. The others may also hold short words and numbers. */
const signingParameter = /sig|hmac|secret|pass|pw|token|jwt|assertion|credential/i

export function isSecret (value: string, name: string): boolean {
  if ([placeholder, words, versions, place].some((pattern) => pattern.test(value))) return false
  // A small number may be a count of tokens, but a password may be a number.
  if (count.test(value)) return value.length >= longestCount || (!/(?:keys|tokens?|secrets|passwords)$/i.test(name) && value.length >= 6)
  return value.length >= (/pass|pwd|pw$|secret/i.test(name) ? 4 : 6)
}

/** A value in quotation marks: a caption is not a secret, a passphrase of several words is. */
export function isQuotedSecret (value: string, name: string): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return !/\s/.test(value) || /passphrase/i.test(name) ||
    value.split(/\s+/).some((word) => word.length >= 6 && isRandom(word) && !technique.test(word))
}

/**
 * A value in quotation marks directly after the sign, as in shells and settings: several words are a passphrase, unless they are a caption.
 */
export function isShellSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return isQuotedSecret(value, name) || (/pass|pwd|pw$|secret/i.test(name) && !holdsName.test(value) && !/^\$|[<{]/.test(value))
}

/** A value without quotation marks: it may be an expression, a type, or the beginning of a sentence. `next` is the text behind it. */
export function isBareSecret ({
  name, sign, value, isLine, next
}: { name: string, sign: string, value: string, isLine: boolean, next: string }): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  const isPath = /^[A-Za-z_$]+(?:\??\.#?[A-Za-z_$]+)+\??$/.test(value)
  if (isPath || /[([{<`]/.test(next)) return false
  if (!plainWord.test(value)) return isLine || !/[:>]\s+$/.test(sign) || (/\d/.test(value) && !technique.test(value))
  // In a program, a single word is a variable or a type. In a settings file, a secret is alone on its line.
  if (/\s$/.test(sign)) return isLine && sign.trim() === ':' && !/[a-z][A-Z]|^[A-Z]/.test(value)
  return !/[,)]/.test(next)
}

/** The value of a header whose name is that of a secret. In quotation marks, as in commands, a plain word counts too. */
export function isHeaderSecret ({ value = '', end }: Record<string, string | undefined>): boolean {
  return isSecret(value, '') && !isNameOfOne(value) && (end !== undefined || !plainWord.test(value))
}

/** A value in a sentence or a table: only what cannot be a word. */
export function isSpokenSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value) || technique.test(value) || /^\d+[-.:x/]?[a-z]*\.?$/i.test(value)) return false
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)
}

/** A parameter of an address. */
export function isParameterSecret ({ name = '', value = '' }: Record<string, string | undefined>): boolean {
  if (!isSecret(value, name) || isNameOfOne(value)) return false
  return signingParameter.test(name)
    ? !plainWord.test(value) || value.length >= 16
    : value.length >= 12 && isRandom(value) && !/%[c-f][\da-f]%/i.test(value)
}

/** Whether a value is the name of a secret (`newPassword`, `AccessToken`, `user_token`) instead of a secret. */
export function isNameOfOne (value: string): boolean {
  return whollyName.test(value) || (/^[A-Za-z_$ .?!-]+$/.test(value) && /[a-z][A-Z]|[_ -]|^[A-Z]/.test(value) && holdsName.test(value))
}

/** Whether a value cannot be a word: it has digits, or upper and lower case letters mixed as in no name. */
export function isRandom (value: string): boolean {
  return /\d/.test(value) || /[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value)
}
