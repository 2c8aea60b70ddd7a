import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { type PasskeyRows } from './passkey-rows.js'

export interface PasskeyGateOptions {
  db: Database
  clock: Clock
  rows: PasskeyRows
  /** Whether the operator has switched passkeys on. While they are off, existing ones cannot be used. */
  isEnabled: boolean
  /** Whether there is a gate besides the passkeys. */
  isGatedOtherwise: () => boolean
}

const key = 'passwordless'

/** The gate of passkeys: whether there are any, and whether they are the only way to sign in. */
export class PasskeyGate {
  readonly #values
  #passwordless: boolean
  #isEnabled: boolean

  constructor (readonly options: PasskeyGateOptions) {
    this.#isEnabled = options.isEnabled
    this.#values = createValues(options.db.sqlite)
    this.#passwordless = this.#values.get(key) === true
  }

  get isEnabled (): boolean { return this.#isEnabled }

  /**
   * Switches passkeys on or off while the service runs. If they are the only way to sign in they stay on, and it returns false: a file that
   * is being edited, or missing for a moment, must not open the service to everybody.
   */
  switch (isOn: boolean): boolean {
    if (!isOn && this.isOpen && !this.options.isGatedOtherwise()) return false
    this.#isEnabled = isOn
    return true
  }

  /** How many passkeys can be used to sign in. */
  get count (): number { return this.isEnabled ? this.options.rows.size : 0 }

  get isOpen (): boolean { return this.count > 0 }

  /** Whether passwords are refused. Without a passkey they are accepted, whatever was set. */
  get isPasswordless (): boolean { return this.#passwordless && this.isOpen }

  has (id: string): boolean {
    return this.isEnabled && this.options.rows.get(id) !== undefined
  }

  /** Throws NotFound while passkeys are switched off. */
  assertEnabled (): void {
    if (!this.isEnabled) throw new NotFound('Passkeys are off. Turn them on with SVC_WEBUI_PASSKEY=1')
  }

  /** Throws Conflict. */
  assertPasswordlessPossible (): void {
    if (!this.isEnabled) {
      throw new Conflict('Signing in without a password needs passkeys, which are off. Turn them on with SVC_WEBUI_PASSKEY=1')
    }
    if (this.options.rows.count() === 0) throw new Conflict('Signing in without a password needs a passkey. Register one first')
  }

  /** Called inside a write. Throws Conflict when it is switched on and there is no passkey. */
  setPasswordless (isOn: boolean): void {
    if (isOn) this.assertPasswordlessPossible()
    this.#values.set(key, isOn, epochSeconds(this.options.clock))
    this.options.db.afterCommit(() => { this.#passwordless = isOn })
  }

  /** Removes all passkeys; called inside a write. */
  removeAll (): void {
    this.options.rows.removeAll()
    this.setPasswordless(false)
  }
}
