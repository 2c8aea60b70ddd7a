import { type PasskeyGate } from './passkey-gate.js'
import { type PasskeyRows } from './passkey-rows.js'
import { relyingPartyOf, type PageAddress, type RelyingParty } from './relying-party.js'
import { type Signer } from './signer.js'

export interface PasskeyPartiesOptions {
  gate: Pick<PasskeyGate, 'assertEnabled'>
  rows: Pick<PasskeyRows, 'all'>
  signer: Signer
  allowedOrigins: ReadonlySet<string>
}

/** The host names that passkeys belong to, and what an authenticator is told about each. */
export function createPasskeyParties ({ gate, rows, signer, allowedOrigins }: PasskeyPartiesOptions) {
  return {
    /**
     * Returns the party whose passkeys a page may use. Throws NotFound while passkeys are switched off, and Invalid for pages where
     * browsers have no passkeys.
     */
    of (page: PageAddress): RelyingParty {
      gate.assertEnabled()
      return relyingPartyOf(page, allowedOrigins)
    },

    registered: (party: RelyingParty): Array<{ type: 'public-key', id: string }> =>
      rows.all().filter(({ rpId }) => rpId === party.id).map(({ id }) => ({ type: 'public-key', id })),

    /** There is one operator, so one user per host name; the id tells nothing about a person. */
    userIdOf: (party: RelyingParty): string => Buffer.from(signer.sign('passkey-user', party.id), 'hex').toString('base64url')
  }
}
export type PasskeyParties = ReturnType<typeof createPasskeyParties>
