/** A rule for which of an issuer's users are let in: one match is enough. */
export type OidcRule =
  | { kind: 'sub', subject: string }
  | { kind: 'email', address: string }
  | { kind: 'claim', name: string, value: string }

export type OidcClaims = Readonly<Record<string, unknown>>

/** `unverified`: the address is on the list, but the issuer has not verified it. */
export type OidcVerdict = 'in' | 'unverified' | 'refused'

/** Parses an entry such as `email:someone@example.org`; null for an invalid one. */
export function parseOidcRule (entry: string): OidcRule | null {
  const [, kind, rest = ''] = /^(sub|email|claim):(.+)$/.exec(entry) ?? []
  if (kind === 'sub') return { kind, subject: rest }
  if (kind === 'email') return /^[^@\s]+@[^@\s]+$/.test(rest) ? { kind, address: rest } : null
  const [, name, value] = /^([^=]+)=(.+)$/.exec(rest) ?? []
  if (kind !== 'claim' || name === undefined || value === undefined) return null
  // An address counts only if the issuer has verified it, in whichever form the rule is written.
  return name === 'email' ? parseOidcRule(`email:${value}`) : { kind, name, value }
}

/** Judges claims that belong together (of one token, or of one answer). */
export function judgeOidcClaims (rules: readonly OidcRule[], claims: OidcClaims): OidcVerdict {
  const matching = rules.filter((rule) => matches(rule, claims))
  if (matching.some(({ kind }) => kind !== 'email') || (matching.length > 0 && claims['email_verified'] === true)) return 'in'
  return matching.length > 0 ? 'unverified' : 'refused'
}

function matches (rule: OidcRule, claims: OidcClaims): boolean {
  if (rule.kind === 'sub') return claims['sub'] === rule.subject
  if (rule.kind === 'email') return typeof claims['email'] === 'string' && lowered(claims['email']) === lowered(rule.address)
  if (!Object.hasOwn(claims, rule.name)) return false
  return [claims[rule.name]].flat().some((value) =>
    (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') && String(value) === rule.value)
}

/** ASCII only: some other letters become ASCII when they are lower-cased, though they are different addresses. */
function lowered (address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
