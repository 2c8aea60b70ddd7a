import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { createTurnstile, hashPassword, matchesPassword, type PasswordCost } from './password.js'
import { equalInConstantTime, type Signer } from './signer.js'
import { type Throttle } from './throttle.js'

export interface PasswordGateOptions {
  db: Database
  clock: Clock
  signer: Signer
  throttle: Throttle
  /** The password that the environment sets, or null. */
  pinned: string | null
  /** The cost of a hash. Default: what a real password needs. */
  cost?: PasswordCost
  /** Ends the sessions that were not opened with this credential (null: all); called inside a write. */
  endSessions: (credential: string | null) => void
}

/** The password in force: its hash, and the fingerprint that marks sessions opened with it. */
interface Credential { hash: string, fingerprint: string }

/** The gate of the one password: set by the environment, or stored as a hash in the database. */
export class PasswordGate {
  readonly #values
  readonly #pass = createTurnstile({ atOnce: 2, waiting: 20 })
  #credential: Credential | null = null

  constructor (readonly options: PasswordGateOptions) {
    this.#values = createValues(options.db.sqlite)
    const stored = options.pinned === null ? this.#values.get('password_hash') : undefined
    if (stored !== undefined) this.#adopt(String(stored))
  }

  /** Whether people can sign in here; true even before the hash of a password from the environment is ready. */
  get isOpen (): boolean {
    return this.options.pinned !== null || this.#credential !== null
  }

  get isPinned (): boolean {
    return this.options.pinned !== null
  }

  /** The mark for sessions that are opened now; null without a password. */
  get fingerprint (): string | null {
    return this.#credential?.fingerprint ?? null
  }

  /** Whether a session with this mark was opened with the password in force. */
  isInForce (fingerprint: string): boolean {
    return this.#credential !== null && equalInConstantTime(fingerprint, this.#credential.fingerprint)
  }

  /**
   * Hashes the password of the environment, and ends the sessions of an earlier one. It is hashed because the fingerprint in the database
   * must not be quicker to guess from than a hash is.
   */
  async prepare (): Promise<void> {
    const { db, signer, pinned, cost, endSessions } = this.options
    if (pinned !== null) {
      this.#adopt(await hashPassword(pinned, { salt: Buffer.from(signer.sign('salt', 'password'), 'hex').subarray(0, 16), cost }))
    }
    // Their fingerprint makes them invalid already, so on a full disk they can be removed later.
    const { fingerprint } = this
    if (fingerprint !== null) db.soonest(() => endSessions(fingerprint))
  }

  /** Returns the fingerprint of the password if `candidate` is right, or null; counts against the address. Throws TooMany. */
  async check (candidate: string, address?: string): Promise<string | null> {
    const asked = this.#credential
    if (asked === null) return null
    const attempt = await this.options.throttle.begin('password', address)
    let matches: boolean
    try {
      matches = await this.#pass(() => matchesPassword(candidate, asked.hash))
    } catch (error) {
      attempt.abandoned()
      throw error
    }
    if (!matches) {
      await attempt.failed()
      return null
    }
    attempt.succeeded()
    return asked.fingerprint
  }

  /** Returns the hash to be stored for a password; computing it queues like a sign-in. Throws TooMany. */
  hash (password: string): Promise<string> {
    return this.#pass(() => hashPassword(password, { cost: this.options.cost }))
  }

  /** Throws Conflict if the stored password is not the one with the fingerprint `from` (null: no password). Called inside a write. */
  assertStill (from: string | null): void {
    const stored = this.#values.get('password_hash')
    if ((stored === undefined ? null : this.#fingerprintOf(String(stored))) !== from) {
      throw new Conflict('Someone else changed the password at the same time. Try again')
    }
  }

  /**
   * Replaces the password with the fingerprint `from` (null: no password) by a new hash, or by none, and ends every session. Called inside
   * a write. Returns the new fingerprint. Throws Conflict when another change came first.
   */
  replace (from: string | null, passwordHash: string | null): string | null {
    const { db, clock, endSessions } = this.options
    this.assertStill(from)
    if (passwordHash === null) this.#values.remove('password_hash')
    else this.#values.set('password_hash', passwordHash, epochSeconds(clock))
    endSessions(null)
    db.afterCommit(() => {
      if (passwordHash === null) this.#credential = null
      else this.#adopt(passwordHash)
    })
    return passwordHash === null ? null : this.#fingerprintOf(passwordHash)
  }

  #adopt (passwordHash: string): void {
    this.#credential = { hash: passwordHash, fingerprint: this.#fingerprintOf(passwordHash) }
  }

  #fingerprintOf (passwordHash: string): string {
    return this.options.signer.sign('password', passwordHash)
  }
}
