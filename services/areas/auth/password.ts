import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { TooMany } from '../../ground/errors.js'

/** The cost of computing a hash; time and memory grow with N. */
export interface PasswordCost { N: number, r: number, p: number }

const usualCost: PasswordCost = { N: 2 ** 15, r: 8, p: 1 }
const hashBytes = 32
/** One computation needs 128 * N * r bytes. That is exactly Node's default limit, which refuses it. */
const maxmem = 256 * usualCost.N * usualCost.r

/**
 * Returns a salted scrypt hash as `scrypt$N$r$p$salt$hash` (base64url), computed on a thread of the pool. The same characters typed on
 * another keyboard may have another Unicode form, so the password is normalised first.
 */
export async function hashPassword (
  password: string, { salt = randomBytes(16), cost = usualCost }: { salt?: Buffer, cost?: PasswordCost } = {}
): Promise<string> {
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether `password` is the one behind `encoded`. Throws when `encoded` is not a hash made by {@link hashPassword}. */
export async function matchesPassword (password: string, encoded: string): Promise<boolean> {
  const [scheme, N, r, p, salt = '', hash = ''] = encoded.split('$')
  const expected = Buffer.from(hash, 'base64url')
  if (scheme !== 'scrypt' || expected.length !== hashBytes) throw new Error('The stored password hash is not readable')
  const actual = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return timingSafeEqual(actual, expected)
}

function derive (password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/**
 * Runs `atOnce` pieces of work and queues `waiting` more; throws TooMany beyond that. Each hash takes 32 MiB and a thread that file access
 * needs too, so a flood of sign-ins must not take all of them.
 */
export function createTurnstile ({ atOnce, waiting }: { atOnce: number, waiting: number }) {
  const queue: Array<() => void> = []
  let running = 0

  return async function pass<T> (work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++
    else if (queue.length >= waiting) throw new TooMany('Too many sign-ins at once. Try again in a moment.', undefined, { retryAfterS: 1 })
    else await new Promise<void>((resolve) => { queue.push(resolve) })
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
