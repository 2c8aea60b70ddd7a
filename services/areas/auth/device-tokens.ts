import { hash, randomInt, timingSafeEqual } from 'node:crypto'

/** The prefix of every token, by which it is recognised wherever it turns up; see services/ground/redaction/known-keys.ts. */
export const tokenPrefix = 'svct_'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const [idChars, secretChars] = [12, 40]
const tokenForm = new RegExp(`^${tokenPrefix}([A-Za-z0-9]{${idChars}})_[A-Za-z0-9]{${secretChars}}$`)
const nobody = Buffer.alloc(32)

export function newDeviceId (): string {
  return randomText(alphabet, idChars)
}

/** Returns `svct_<id>_<secret>`: the device is found by the id and verified by the hash. The secret has 238 bits. */
export function newToken (id: string): { token: string, tokenHash: string } {
  const token = `${tokenPrefix}${id}_${randomText(alphabet, secretChars)}`
  return { token, tokenHash: hash('sha256', token) }
}

/** Returns the id of the device that a token claims to be of; null for a text that does not have the form of a token. */
export function deviceIdOf (token: string): string | null {
  return tokenForm.exec(token)?.[1] ?? null
}

/** Compares in constant time, even if the device does not exist. */
export function isTokenOf (token: string, tokenHash: string | null): boolean {
  const isEqual = timingSafeEqual(hash('sha256', token, 'buffer'), tokenHash === null ? nobody : Buffer.from(tokenHash, 'hex'))
  return isEqual && tokenHash !== null
}

export function randomText (characters: string, length: number): string {
  return Array.from({ length }, () => characters.charAt(randomInt(characters.length))).join('')
}
