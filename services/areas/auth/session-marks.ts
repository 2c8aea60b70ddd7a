const noPassword = '-'
const oidcPrefix = 'oidc:'
const devicePrefix = 'device:'

export type SignInMethod = 'password' | 'passkey' | 'oidc'

/**
 * Marks a session that was opened with a passkey. The current password is part of the mark, so the session ends when the password changes.
 */
export function passkeyMark (fingerprint: string | null, passkeyId: string): string {
  return `${fingerprint ?? noPassword}+${passkeyId}`
}

/** Marks a session that was opened with OpenID Connect. The prefix is unambiguous, because a passkey's id has no colon. */
export function oidcMark (fingerprint: string | null, version: string): string {
  return `${fingerprint ?? noPassword}+${oidcPrefix}${version}`
}

/** Marks the session of a browser that is a device. It ends with the device, whether or not the password changes. */
export function deviceMark (id: string): string {
  return `${noPassword}+${wayOfDevice(id)}`
}

/** Returns the second part of a device's mark; in a passkey's mark that part is the passkey's id. */
export const wayOfDevice = (id: string): string => devicePrefix + id

/**
 * Splits a mark into its parts. `fingerprint` is null when there was no password; of `passkeyId`, `oidc` and `deviceId`, those are null by
 * which the session was not opened.
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

/** Returns how the person with this mark has signed in; null: a device was paired. */
export function methodOf (mark: string): SignInMethod | null {
  const { passkeyId, oidc, deviceId } = partsOfMark(mark)
  return deviceId !== null ? null : oidc !== null ? 'oidc' : passkeyId !== null ? 'passkey' : 'password'
}
