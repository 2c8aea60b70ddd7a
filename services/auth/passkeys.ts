import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Invalid, NotFound, Unauthenticated } from '../ground/errors.js'
import { type Challenges, type Purpose } from './challenges.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type Passkey, type PasskeyRows } from './passkey-rows.js'
import { type PasswordGate } from './password-gate.js'
import { relyingPartyOf, type PageAddress, type RelyingParty } from './relying-party.js'
import { passkeyMark, type AuthSessions, type Operator } from './sessions.js'
import { type Signer } from './signer.js'
import { countedAddress, type Throttle } from './throttle.js'
import { es256, quotedChallenge, readAssertion, readAttestation, type Assertion, type Attestation } from './webauthn.js'

export interface PasskeysOptions {
  db: Database
  clock: Clock
  signer: Signer
  throttle: Throttle
  sessions: AuthSessions
  password: PasswordGate
  gate: PasskeyGate
  rows: PasskeyRows
  challenges: Challenges
  /** What an authenticator shows as the service's name. */
  name: string
  allowedOrigins: ReadonlySet<string>
  isGated: () => boolean
  /** Whether there is a gate beside the passkeys. */
  isGatedOtherwise: () => boolean
}

const timeoutMs = 60_000
const mostPasskeys = 50

/** Passkeys as clients use them. Every operation throws NotFound while they are switched off. */
export function createPasskeys (options: PasskeysOptions) {
  const { db, clock, signer, throttle, sessions, password, gate, rows, challenges, name, allowedOrigins, isGated, isGatedOtherwise } = options

  function partyOf (page: PageAddress): RelyingParty {
    gate.assertEnabled()
    return relyingPartyOf(page, allowedOrigins)
  }

  const registered = (party: RelyingParty): Array<{ type: 'public-key', id: string }> =>
    rows.all().filter(({ rpId }) => rpId === party.id).map(({ id }) => ({ type: 'public-key', id }))

  /** There is one operator, so one user of each name; it says nothing about anybody. */
  const userIdOf = (party: RelyingParty): string => Buffer.from(signer.sign('passkey-user', party.id), 'hex').toString('base64url')

  /** In one session: what was begun by one client is not ended by another. */
  const registering = ({ via, tokenHash }: Operator): Purpose => `register:${tokenHash ?? via}`

  /** Adding a way in to what is open would close it for everybody but the one who came first. */
  function assertGated (): void {
    if (!isGated()) throw new Conflict('Anybody who reaches this service is in: set a password first, a passkey comes beside it')
  }

  async function signIn (assertion: Assertion, party: RelyingParty): Promise<{ passkey: Passkey, signCount: number } | null> {
    const challenge = quotedChallenge(assertion.response.clientDataJSON)
    const asked = challenge === null ? null : challenges.take(challenge, 'sign-in')
    const passkey = rows.get(assertion.id)
    if (challenge === null || asked === null || passkey === undefined) return null
    if (asked.id !== party.id || asked.origin !== party.origin || passkey.rpId !== party.id) return null
    const { userHandle } = assertion.response
    if (userHandle != null && userHandle !== '' && userHandle !== userIdOf(party)) return null
    const signCount = await readAssertion(assertion, challenge, party, passkey)
    return signCount === null ? null : { passkey, signCount }
  }

  return {
    /** What a browser needs to sign in. Throws Invalid without a passkey for this address, and TooMany. */
    signInOptions (page: PageAddress, address?: string) {
      const party = partyOf(page)
      const allowCredentials = registered(party)
      if (allowCredentials.length === 0) throw new Invalid('No passkey is registered for this address')
      const challenge = challenges.issue('sign-in', countedAddress(address), party)
      return { challenge, rpId: party.id, allowCredentials, timeout: timeoutMs, userVerification: 'preferred' as const }
    },

    /** Opens a session and returns its cookie's value. Throws Unauthenticated, and TooMany like a sign-in with a password, whose failures count with these. */
    async signIn (assertion: Assertion, page: PageAddress, { address, userAgent }: { address?: string, userAgent?: string }): Promise<string> {
      const party = partyOf(page)
      const attempt = await throttle.begin(address)
      const refused = new Unauthenticated('The passkey was not accepted')
      const proven = await signIn(assertion, party)
      if (proven === null) throw refused
      const { passkey: { id, signCount: from }, signCount: to } = proven
      const cookie = await db.durably(() => {
        // Gone meanwhile, or the same count twice: a copy of the authenticator.
        if (!rows.use(id, { from, to, atS: epochSeconds(clock) })) throw refused
        return sessions.openWithin(passkeyMark(password.fingerprint, id), userAgent)
      })
      attempt.succeeded()
      return cookie
    },

    /** What a browser needs to make a passkey. Throws Invalid where none can be, TooMany, and Conflict for an open service. */
    registerOptions (operator: Operator, page: PageAddress) {
      const party = partyOf(page)
      assertGated()
      const purpose = registering(operator)
      return {
        challenge: challenges.issue(purpose, purpose, party),
        rp: { name, id: party.id },
        user: { id: userIdOf(party), name: 'operator', displayName: name },
        pubKeyCredParams: [{ type: 'public-key' as const, alg: es256 }],
        authenticatorSelection: { residentKey: 'preferred' as const, userVerification: 'preferred' as const },
        timeout: timeoutMs,
        attestation: 'none' as const,
        excludeCredentials: registered(party)
      }
    },

    /** Keeps a passkey that was made for {@link registerOptions}. Throws Invalid when it proves nothing, and Conflict. */
    async register (operator: Operator, page: PageAddress, attestation: Attestation, label = ''): Promise<Passkey> {
      const party = partyOf(page)
      const challenge = quotedChallenge(attestation.response.clientDataJSON)
      const asked = challenge === null ? null : challenges.take(challenge, registering(operator))
      if (challenge === null || asked === null) throw new Invalid('This registration has expired, or was used already. Try again')
      const made = asked.id === party.id && asked.origin === party.origin ? await readAttestation(attestation, challenge, party) : null
      if (made === null) throw new Invalid('The passkey could not be verified. Try again, or another authenticator')
      const passkey: Passkey = { ...made, rpId: party.id, label: label.trim() === '' ? 'Passkey' : label.trim(), createdAt: epochSeconds(clock), lastUsedAt: null }
      await db.durably(() => {
        assertGated()
        if (rows.count() >= mostPasskeys) throw new Conflict(`There are ${mostPasskeys} passkeys: delete one first`)
        if (!rows.insert(passkey)) throw new Conflict('This passkey is registered already')
      })
      return passkey
    },

    list (): Passkey[] {
      gate.assertEnabled()
      return rows.all()
    },

    /** Throws NotFound, and Invalid for a label without a character. */
    async rename (id: string, label: string): Promise<Passkey> {
      gate.assertEnabled()
      if (label.trim() === '') throw new Invalid('Missing required field(s): label')
      await db.durably(() => {
        if (!rows.rename(id, label.trim())) throw new NotFound('Passkey not found')
      })
      return rows.get(id)!
    },

    /** Deletes it and ends the sessions that were opened with it. Throws NotFound, and Conflict for the last one where there is no other way in. */
    async remove (id: string): Promise<void> {
      gate.assertEnabled()
      await db.durably(() => {
        if (!rows.remove(id)) throw new NotFound('Passkey not found')
        if (rows.count() === 0) {
          if (!isGatedOtherwise()) throw new Conflict('This is the only way in: set a password before you delete the last passkey')
          gate.setPasswordless(false)
        }
        sessions.removeOfPasskey(id)
      })
    }
  }
}
export type Passkeys = ReturnType<typeof createPasskeys>
