import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { type AuditPort } from '../audit/index.js'
import { type Challenges, type Purpose } from './challenges.js'
import { type PasskeyParties } from './passkey-parties.js'
import { timeoutMs } from './passkey-sign-in.js'
import { type Passkey, type PasskeyRows } from './passkey-rows.js'
import { type PageAddress } from './relying-party.js'
import { type Operator } from './sessions.js'
import { es256, quotedChallenge, readAttestation, type Attestation } from './webauthn.js'

export interface PasskeyRegistrationOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  rows: PasskeyRows
  challenges: Challenges
  parties: PasskeyParties
  /** The name of the service that an authenticator shows. */
  name: string
  isGated: () => boolean
  /** Called after each change of their number. */
  changed: () => void
}

const mostPasskeys = 50

/** Registers passkeys, for operators who are signed in. */
export function createPasskeyRegistration ({
  db, clock, audit, rows, challenges, parties, name, isGated, changed
}: PasskeyRegistrationOptions) {
  /** Bound to one session: a registration that one client began cannot be finished by another. */
  const registering = ({ via, tokenHash }: Operator): Purpose => `register:${tokenHash ?? via}`

  /** Adding a sign-in to an open service would lock out everybody but the one who came first. */
  function assertGated (): void {
    if (!isGated()) throw new Conflict('This service has no sign-in yet. Set a password before you add a passkey')
  }

  return {
    /** Returns what a browser needs to make a passkey. Throws Invalid where none is possible, TooMany, and Conflict for an open service. */
    registerOptions (operator: Operator, page: PageAddress) {
      const party = parties.of(page)
      assertGated()
      const purpose = registering(operator)
      return {
        challenge: challenges.issue(purpose, purpose, party),
        rp: { name, id: party.id },
        user: { id: parties.userIdOf(party), name: 'operator', displayName: name },
        pubKeyCredParams: [{ type: 'public-key' as const, alg: es256 }],
        authenticatorSelection: { residentKey: 'preferred' as const, userVerification: 'preferred' as const },
        timeout: timeoutMs,
        attestation: 'none' as const,
        excludeCredentials: parties.registered(party)
      }
    },

    /** Stores a passkey that was made for {@link registerOptions}. Throws Invalid when it proves nothing, and Conflict. */
    async register (operator: Operator, page: PageAddress, attestation: Attestation, label = ''): Promise<Passkey> {
      const party = parties.of(page)
      const challenge = quotedChallenge(attestation.response.clientDataJSON)
      const asked = challenge === null ? null : challenges.take(challenge, registering(operator))
      if (challenge === null || asked === null) throw new Invalid('This registration has expired or was already used. Try again')
      const made = asked.id === party.id && asked.origin === party.origin ? await readAttestation(attestation, challenge, party) : null
      if (made === null) throw new Invalid('The passkey could not be verified. Try again, or use another authenticator')
      const passkey: Passkey = {
        ...made, rpId: party.id, label: label.trim() === '' ? 'Passkey' : label.trim(), createdAt: epochSeconds(clock), lastUsedAt: null
      }
      await db.durably(() => {
        assertGated()
        if (rows.count() >= mostPasskeys) throw new Conflict(`The limit of ${mostPasskeys} passkeys is reached. Delete one first`)
        if (!rows.insert(passkey)) throw new Conflict('This passkey is registered already')
        audit.record('passkey.registered', { passkey: passkey.id, label: passkey.label })
      })
      changed()
      return passkey
    }
  }
}
