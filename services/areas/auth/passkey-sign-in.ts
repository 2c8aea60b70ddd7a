import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { DomainError, Invalid, Unauthenticated } from '../../ground/errors.js'
import { type Challenges } from './challenges.js'
import { type PasskeyParties } from './passkey-parties.js'
import { type Passkey, type PasskeyRows } from './passkey-rows.js'
import { type PasswordGate } from './password-gate.js'
import { type PageAddress, type RelyingParty } from './relying-party.js'
import { passkeyMark } from './session-marks.js'
import { type AuthSessions } from './sessions.js'
import { countedAddress, type Throttle } from './throttle.js'
import { quotedChallenge, readAssertion, type Assertion } from './webauthn.js'

export interface PasskeySignInOptions {
  db: Database
  clock: Clock
  throttle: Throttle
  sessions: Pick<AuthSessions, 'openWithin'>
  password: Pick<PasswordGate, 'fingerprint'>
  rows: PasskeyRows
  challenges: Challenges
  parties: PasskeyParties
}

export const timeoutMs = 60_000

/** Signing in with a passkey. */
export function createPasskeySignIn ({ db, clock, throttle, sessions, password, rows, challenges, parties }: PasskeySignInOptions) {
  async function proven (assertion: Assertion, party: RelyingParty): Promise<{ passkey: Passkey, signCount: number } | null> {
    const challenge = quotedChallenge(assertion.response.clientDataJSON)
    const asked = challenge === null ? null : challenges.take(challenge, 'sign-in')
    const passkey = rows.get(assertion.id)
    if (challenge === null || asked === null || passkey === undefined) return null
    if (asked.id !== party.id || asked.origin !== party.origin || passkey.rpId !== party.id) return null
    const { userHandle } = assertion.response
    if (userHandle != null && userHandle !== '' && userHandle !== parties.userIdOf(party)) return null
    const signCount = await readAssertion(assertion, challenge, party, passkey)
    return signCount === null ? null : { passkey, signCount }
  }

  return {
    /** Whether a passkey exists with which a page at this address could sign in. */
    hasOne (page: PageAddress): boolean {
      try {
        return parties.registered(parties.of(page)).length > 0
      } catch (error) {
        if (error instanceof DomainError) return false
        throw error
      }
    },

    /** Returns what a browser needs to sign in. Throws Invalid without a passkey for this address, and TooMany. */
    signInOptions (page: PageAddress, address?: string) {
      const party = parties.of(page)
      const allowCredentials = parties.registered(party)
      if (allowCredentials.length === 0) throw new Invalid('No passkey is registered for this address')
      const challenge = challenges.issue('sign-in', countedAddress(address), party)
      return { challenge, rpId: party.id, allowCredentials, timeout: timeoutMs, userVerification: 'preferred' as const }
    },

    /**
     * Opens a session and returns its cookie's value. Throws Unauthenticated, and TooMany as for passwords: failures of both count
     * together.
     */
    async signIn (
      assertion: Assertion, page: PageAddress, { address, userAgent }: { address?: string, userAgent?: string }
    ): Promise<string> {
      const party = parties.of(page)
      const attempt = await throttle.begin('passkey', address)
      const refused = new Unauthenticated('The passkey was not accepted')
      const found = await proven(assertion, party)
      if (found === null) {
        await attempt.failed()
        throw refused
      }
      const { passkey: { id, signCount: from }, signCount: to } = found
      const cookie = await db.durably(() => {
        // It was deleted meanwhile, or its count was used twice: a copy of the authenticator.
        if (!rows.use(id, { from, to, atS: epochSeconds(clock) })) throw refused
        return sessions.openWithin(passkeyMark(password.fingerprint, id), userAgent)
      })
      attempt.succeeded()
      return cookie
    }
  }
}
