import { type Oidc } from './oidc.js'
import { type Openness } from './openness.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type Operator } from './sessions.js'

/** The ways to sign in, and whether a client is signed in, in the interface's words. */
export interface AuthAccess {
  auth_enabled: boolean
  logged_in: boolean
  password_auth_enabled: boolean
  passkeys_enabled: boolean
  passkeys_count: number
  passkey_feature_flag: boolean
  passwordless_enabled: boolean
  oidc_enabled: boolean
  oidc_name: string | null
  auth_disabled_acknowledged: boolean
}

export interface AccessOptions {
  passkeys: PasskeyGate
  oidc: Pick<Oidc, 'isOpen' | 'name'>
  openness: Openness
  isGated: () => boolean
  takesPasswords: () => boolean
}

/** Makes the answer from the existing gates, for the operator as which a request was admitted. */
export function createAccess ({ passkeys, oidc, openness, isGated, takesPasswords }: AccessOptions) {
  return function access (operator: Operator | null): AuthAccess {
    const gated = isGated()
    return {
      auth_enabled: gated,
      logged_in: gated && operator !== null,
      password_auth_enabled: takesPasswords(),
      passkeys_enabled: passkeys.isOpen,
      passkeys_count: passkeys.count,
      passkey_feature_flag: passkeys.isEnabled,
      passwordless_enabled: passkeys.isPasswordless,
      oidc_enabled: oidc.isOpen,
      oidc_name: oidc.name,
      auth_disabled_acknowledged: openness.isAcknowledged
    }
  }
}
