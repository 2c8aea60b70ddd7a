/** Who of an issuer's people is let in: one of these is enough. */
export type OidcRule =
  | { kind: 'sub', subject: string }
  | { kind: 'email', address: string }
  | { kind: 'claim', name: string, value: string }

export type OidcClaims = Readonly<Record<string, unknown>>

/** `unverified`: the address is one that is let in, but the issuer does not vouch for it. */
export type OidcVerdict = 'in' | 'unverified' | 'refused'

/** What an entry such as `email:someone@example.org` says; null for what says nothing. */
export function parseOidcRule (entry: string): OidcRule | null {
  const [, kind, rest = ''] = /^(sub|email|claim):(.+)$/.exec(entry) ?? []
  if (kind === 'sub') return { kind, subject: rest }
  if (kind === 'email') return /^[^@\s]+@[^@\s]+$/.test(rest) ? { kind, address: rest } : null
  const [, name, value] = /^([^=]+)=(.+)$/.exec(rest) ?? []
  if (kind !== 'claim' || name === undefined || value === undefined) return null
  // An address counts only where the issuer vouches for it, however it is asked for.
  return name === 'email' ? parseOidcRule(`email:${value}`) : { kind, name, value }
}

/** Whether claims that belong together (of one token, or one answer) let their person in. */
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

/** ASCII only: some other letters become these when they are lowered, and are other addresses. */
function lowered (address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
