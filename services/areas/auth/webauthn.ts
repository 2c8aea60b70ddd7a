import { fieldsOf } from '../../ground/fields.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { type RelyingParty } from './relying-party.js'
import { type Passkey } from './passkey-rows.js'

/** ECDSA with SHA-256 on P-256, by its COSE number: the only algorithm that is accepted. */
export const es256 = -7

export interface Attestation { id: string, rawId?: string, type?: string, response: { clientDataJSON: string, attestationObject: string } }
export interface Assertion {
  id: string
  rawId?: string
  type?: string
  response: { clientDataJSON: string, authenticatorData: string, signature: string, userHandle?: string | null }
}

/** Returns the challenge that client data (base64url) quotes, unverified; null if it quotes none. */
export function quotedChallenge (clientDataJSON: string): string | null {
  const { challenge } = fieldsOf(parseJson(Buffer.from(clientDataJSON, 'base64url').toString()))
  return typeof challenge === 'string' ? challenge : null
}

/**
 * Returns the passkey that an authenticator has made (WebAuthn §7.1), or null if anything is wrong. The maker of the authenticator is not
 * checked, and attestations with certificates are refused: checking them would fetch addresses that they name.
 */
export async function readAttestation (
  { id, rawId = id, type = 'public-key', response }: Attestation, challenge: string, party: RelyingParty
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'signCount'> | null> {
  if (type !== 'public-key') return null
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
    const isSelfSigned = attestation.get('fmt') === 'packed' && attestation.get('attStmt').get('x5c') === undefined
    if (attestation.get('fmt') !== 'none' && !isSelfSigned) return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [es256]
    })
    if (!verified || registrationInfo === undefined || registrationInfo.credential.id !== id) return null
    const { publicKey, counter } = registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), signCount: counter }
  } catch {
    return null
  }
}

/** Returns the authenticator's new count if the passkey has signed this (WebAuthn §7.2), or null if anything is wrong. */
export async function readAssertion (
  { id, rawId = id, type = 'public-key', response }: Assertion, challenge: string, party: RelyingParty, passkey: Passkey
): Promise<number | null> {
  if (type !== 'public-key') return null
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { userHandle, ...signed } = response
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id, rawId, type, response: { ...signed, ...(userHandle != null && { userHandle }) },
        clientExtensionResults: {}
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: { id: passkey.id, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')), counter: passkey.signCount }
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}
