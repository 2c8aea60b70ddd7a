const noPassword = '-'
const oidcPrefix = 'oidc:'
const devicePrefix = 'device:'

export type SignInMethod = 'password' | 'passkey' | 'oidc'

/** Marks a session that was opened with a passkey. The password of that time is part of it: when that changes, this ends as well. */
export function passkeyMark (fingerprint: string | null, passkeyId: string): string {
  return `${fingerprint ?? noPassword}+${passkeyId}`
}

/** The same for one that was opened with OpenID Connect. A passkey's id has no colon. */
export function oidcMark (fingerprint: string | null, version: string): string {
  return `${fingerprint ?? noPassword}+${oidcPrefix}${version}`
}

/** The same for the browser that is a device. It ends with that, whatever becomes of the password. */
export function deviceMark (id: string): string {
  return `${noPassword}+${wayOfDevice(id)}`
}

/** The part of a device's mark that says how its session was opened; that of a passkey's is the passkey's id. */
export const wayOfDevice = (id: string): string => devicePrefix + id

/**
 * The parts of a mark; `fingerprint` is null when there was no password, `passkeyId`, `oidc` and `deviceId` when it was opened otherwise.
 */
export function partsOfMark (mark: string): {
  fingerprint: string | null
  passkeyId: string | null
  oidc: string | null
  deviceId: string | null
} {
  const none = { passkeyId: null, oidc: null, deviceId: null }
  const plus = mark.indexOf('+')
  if (plus === -1) return { ...none, fingerprint: mark }
  const [password, way] = [mark.slice(0, plus), mark.slice(plus + 1)]
  const fingerprint = password === noPassword ? null : password
  if (way.startsWith(oidcPrefix)) return { ...none, fingerprint, oidc: way.slice(oidcPrefix.length) }
  if (way.startsWith(devicePrefix)) return { ...none, fingerprint, deviceId: way.slice(devicePrefix.length) }
  return { ...none, fingerprint, passkeyId: way }
}

/** How somebody has signed in whose session has this mark; null: a device was paired. */
export function methodOf (mark: string): SignInMethod | null {
  const { passkeyId, oidc, deviceId } = partsOfMark(mark)
  return deviceId !== null ? null : oidc !== null ? 'oidc' : passkeyId !== null ? 'passkey' : 'password'
}
