import { epochSeconds, type Clock } from '../../ground/clock.js'
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
  /** The password that the operator pinned in the environment, or null. */
  pinned: string | null
  /** What a hash costs. Default: what a real password needs. */
  cost?: PasswordCost
  /** Ends the sessions that were not opened with this credential (null: all); inside a write. */
  endSessions: (credential: string | null) => void
}

/** The password in force: its hash, and what sessions opened with it are marked with. */
interface Credential { hash: string, fingerprint: string }

/** Signing in with the one password there is: pinned by the environment, or kept as a hash in the database. */
export class PasswordGate {
  readonly #values
  readonly #pass = createTurnstile({ atOnce: 2, waiting: 20 })
  #credential: Credential | null = null

  constructor (readonly options: PasswordGateOptions) {
    this.#values = createValues(options.db.sqlite)
    const stored = options.pinned === null ? this.#values.get('password_hash') : undefined
    if (stored !== undefined) this.#adopt(String(stored))
  }

  /** Whether one can sign in here; also before a pinned password is ready to be compared with. */
  get isOpen (): boolean {
    return this.options.pinned !== null || this.#credential !== null
  }

  get isPinned (): boolean {
    return this.options.pinned !== null
  }

  /** What sessions are marked with that are opened now; null without a password. */
  get fingerprint (): string | null {
    return this.#credential?.fingerprint ?? null
  }

  /** Whether a session with this mark was opened with the password in force. */
  isInForce (fingerprint: string): boolean {
    return this.#credential !== null && equalInConstantTime(fingerprint, this.#credential.fingerprint)
  }

  /**
   * Hashes the pinned password, and ends the sessions of an earlier one. It is hashed because what lies in the database must
   * not be quicker to guess from than a hash is.
   */
  async prepare (): Promise<void> {
    const { db, signer, pinned, cost, endSessions } = this.options
    if (pinned !== null) {
      this.#adopt(await hashPassword(pinned, { salt: Buffer.from(signer.sign('salt', 'password'), 'hex').subarray(0, 16), cost }))
    }
    // Their fingerprint keeps them out already: on a full disk they are removed later.
    const { fingerprint } = this
    if (fingerprint !== null) db.soonest(() => endSessions(fingerprint))
  }

  /** The fingerprint of the password that `candidate` is, or null; counts against the address. Throws TooMany. */
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

  /** What is kept of a password; computing it waits its turn like a sign-in. Throws TooMany. */
  hash (password: string): Promise<string> {
    return this.#pass(() => hashPassword(password, { cost: this.options.cost }))
  }

  /** Throws Conflict when the password is another one than that with the fingerprint `from` (null: than none), as a write sees it. */
  assertStill (from: string | null): void {
    const stored = this.#values.get('password_hash')
    if ((stored === undefined ? null : this.#fingerprintOf(String(stored))) !== from) {
      throw new Conflict('Someone else changed the password at the same time. Try again')
    }
  }

  /**
   * Puts a hash, or no password, in the place of the one with the fingerprint `from` (null: of none) and ends every session;
   * inside a write of the caller's. Returns the new fingerprint. Throws Conflict when another change came first.
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
