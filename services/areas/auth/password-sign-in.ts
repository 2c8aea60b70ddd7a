import { Invalid, Unauthenticated } from '../../ground/errors.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type PasswordGate } from './password-gate.js'
import { type AuthSessions } from './sessions.js'

export interface PasswordSignInOptions {
  password: PasswordGate
  passkeys: Pick<PasskeyGate, 'isOpen' | 'isPasswordless'>
  sessions: Pick<AuthSessions, 'open'>
  /** The name of the OpenID Connect provider, the alternative to a password; null without one. */
  oidcName: string | null
  /** Whether there is any gate. */
  isGated: () => boolean
}

export function createPasswordSignIn ({ password, passkeys, sessions, oidcName, isGated }: PasswordSignInOptions) {
  return {
    /**
     * Opens a session and returns its cookie's value; null if there is no gate. Throws Invalid without a password, Unauthenticated for a
     * wrong one or where passwords are not accepted, and TooMany (with `retryAfterS`) after five wrong ones in a minute from one address,
     * or when too many are being checked.
     */
    async login ({
      password: candidate, address, userAgent
    }: { password?: string, address?: string, userAgent?: string }): Promise<string | null> {
      if (!isGated()) return null
      if (passkeys.isPasswordless || (!password.isOpen && passkeys.isOpen)) {
        throw new Unauthenticated('This service accepts no password. Sign in with a passkey')
      }
      if (!password.isOpen && oidcName !== null) throw new Unauthenticated(`This service accepts no password. Sign in with ${oidcName}`)
      if (!password.isOpen) throw new Unauthenticated('This service has no password. Open it through its proxy')
      if (candidate === undefined || candidate === '') throw new Invalid('Missing required field(s): password')
      const matched = await password.check(candidate, address)
      if (matched === null) throw new Unauthenticated('Invalid password')
      return await sessions.open(matched, userAgent)
    }
  }
}
