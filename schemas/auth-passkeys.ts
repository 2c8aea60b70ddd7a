import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

const Base64url = Type.String({ minLength: 1, maxLength: 8192, pattern: '^[A-Za-z0-9_-]+$', description: 'base64url' })
const Label = Type.String({ maxLength: 80 })
const CredentialId = Type.String({ minLength: 1, maxLength: 1400, description: 'base64url' })

const Passkey = Closed({
  id: Type.String(),
  label: Type.String(),
  created_at: Type.Number({ description: 'epoch seconds' }),
  last_used_at: Nullable(Type.Number(), 'epoch seconds; null: not used yet'),
  sign_count: Type.Integer({ description: 'signature counter of the authenticator; many authenticators always report 0' })
}, { title: 'Passkey' })
const Credentials = Type.Array(Passkey)
const Descriptor = Closed({ type: Type.Literal('public-key'), id: Type.String() })

export const Assertion = Type.Object({
  id: CredentialId,
  rawId: Type.Optional(CredentialId),
  type: Type.Optional(Type.String({ maxLength: 40 })),
  response: Type.Object({
    clientDataJSON: Base64url,
    authenticatorData: Base64url,
    signature: Base64url,
    userHandle: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]))
  })
})

export const Attestation = Type.Object({
  id: CredentialId,
  rawId: Type.Optional(CredentialId),
  type: Type.Optional(Type.String({ maxLength: 40 })),
  response: Type.Object({ clientDataJSON: Base64url, attestationObject: Base64url }),
  label: Type.Optional(Label)
})
export const PasskeyRef = Type.Object({ id: CredentialId })
export const RenamePasskey = Type.Object({ id: CredentialId, label: Type.String({ minLength: 1, maxLength: 80 }) })

export const SignInOptions = Closed({
  ok: Type.Literal(true),
  publicKey: Closed({
    challenge: Type.String({ description: 'valid for 90 seconds and one attempt' }),
    rpId: Type.String(),
    allowCredentials: Type.Array(Descriptor),
    timeout: Type.Integer({ description: 'milliseconds' }),
    userVerification: Type.Literal('preferred')
  })
}, { title: 'PasskeySignInOptions' })

export const RegisterOptions = Closed({
  ok: Type.Literal(true),
  publicKey: Closed({
    challenge: Type.String({ description: 'valid for 90 seconds and one attempt' }),
    rp: Closed({ name: Type.String(), id: Type.String() }),
    user: Closed({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Closed({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    authenticatorSelection: Closed({ residentKey: Type.Literal('preferred'), userVerification: Type.Literal('preferred') }),
    timeout: Type.Integer({ description: 'milliseconds' }),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(Descriptor)
  })
}, { title: 'PasskeyRegisterOptions' })

export const PasskeyNamed = Closed({
  ok: Type.Literal(true),
  credential: Closed({ id: Type.String(), label: Type.String() }),
  credentials: Credentials
}, { title: 'PasskeyNamed' })
export const PasskeysLeft = Closed({ ok: Type.Literal(true), credentials: Credentials }, { title: 'PasskeysLeft' })
export const Passkeys = Closed({ credentials: Credentials }, { title: 'Passkeys' })
