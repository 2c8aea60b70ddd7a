import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

interface Overrides {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  /** Format of the attestation. */
  format?: string
  /** Another algorithm than ES256. */
  algorithm?: number
  signCount?: number
  userHandle?: string | null
  /** Signs with this key instead. */
  key?: KeyObject
}

const up = 0x01
const attested = 0x40

/** Plays an authenticator and its browser: creates passkeys and signs with them, also incorrectly. */
export class Authenticator {
  readonly id = randomBytes(32)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #signCount = 0

  constructor (readonly origin: string) {}

  /** Returns the body of `POST /api/auth/passkey/register` for the given options. */
  attest ({ challenge, rp }: { challenge: string, rp: { id: string } }, label?: string, wrong: Overrides = {}) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = map([[1, 2], [3, wrong.algorithm ?? -7], [-1, 1], [-2, Buffer.from(x!, 'base64url')], [-3, Buffer.from(y!, 'base64url')]])
    const idLength = Buffer.alloc(2)
    idLength.writeUInt16BE(this.id.length)
    const authData = Buffer.concat([this.#head(wrong.rpId ?? rp.id, up | attested, 0), Buffer.alloc(16), idLength, this.id, key])
    return {
      id: this.id.toString('base64url'),
      rawId: this.id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge, wrong),
        attestationObject: map([['fmt', wrong.format ?? 'none'], ['attStmt', map([])], ['authData', authData]]).toString('base64url')
      },
      ...(label !== undefined && { label })
    }
  }

  /** Returns the body of `POST /api/auth/passkey/login`. */
  assert ({ challenge, rpId }: { challenge: string, rpId: string }, wrong: Overrides = {}) {
    this.#signCount = wrong.signCount ?? this.#signCount + 1
    const authData = this.#head(wrong.rpId ?? rpId, up, this.#signCount)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, wrong)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return {
      id: this.id.toString('base64url'),
      rawId: this.id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON,
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, wrong.key ?? this.#keys.privateKey).toString('base64url'),
        userHandle: wrong.userHandle ?? null
      }
    }
  }

  #head (rpId: string, flags: number, signCount: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(signCount)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count])
  }

  #clientData (type: string, challenge: string, wrong: Overrides): string {
    return Buffer.from(JSON.stringify({ type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin: wrong.origin ?? this.origin, crossOrigin: false })).toString('base64url')
  }
}

function sha256 (bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Encodes a CBOR map of numbers, short texts, bytes, and maps that are already encoded. */
function map (entries: Array<[number | string, number | string | Buffer]>): Buffer {
  const encoded = entries.flatMap(([key, value]) => [item(key), key === 'attStmt' ? value as Buffer : item(value)])
  return Buffer.concat([head(5, entries.length), ...encoded])
}

function item (value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  return Buffer.concat([head(2, value.length), value])
}

function head (major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([major << 5 | length])
  if (length < 256) return Buffer.from([major << 5 | 24, length])
  return Buffer.from([major << 5 | 25, length >> 8, length & 255])
}
