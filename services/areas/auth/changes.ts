import { longestPassword } from '../../../schemas/auth.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid } from '../../ground/errors.js'
import { type AuditPort } from '../audit/index.js'
import { isNearby } from './address.js'
import { readControls, type Controls } from './controls.js'
import { type Openness } from './openness.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type PasswordGate } from './password-gate.js'
import { type AuthSessions } from './sessions.js'

/** Who asks for a change. `address`: undefined if no trusted source tells it. `isDevice`: a device asks, not a person. */
export interface Asker { address?: string, userAgent?: string, isDevice?: boolean }

/** Other changes that are made together with the ways to sign in. */
export interface Company {
  /** Runs first, once it is certain that no other change conflicts. */
  first?: () => Promise<unknown>
  /** Called when `first`, or the write after it, has failed: then nothing may change. */
  undo?: () => Promise<unknown>
  /** Runs inside the write. */
  alongside?: (() => void) | null
}

/** A change that was checked and may be made; nothing of it is stored yet. */
export interface AccessChange {
  /**
   * Makes the change and its company, all or nothing; on disk when it resolves. `cookie`: the value of a new session after a password was
   * set. Throws Conflict when something else has changed meanwhile, and whatever the company throws.
   */
  apply (company?: Company): Promise<{ cookie: string | null, justEnabled: boolean }>
}

/**
 * All changes of the ways to sign in are queued under this key, so that what was checked still holds when it is stored.
 */
export const accessTurn = 'access'

export interface AccessChangesOptions {
  db: Database
  audit: AuditPort
  inTurn: Queue
  password: PasswordGate
  passkeys: PasskeyGate
  openness: Openness
  sessions: Pick<AuthSessions, 'openWithin'>
  isGated: () => boolean
  /** Called after each change. */
  changed: () => void
  /**
   * Whether something other than the password and the passkeys keeps strangers out: a proxy, OpenID Connect, or an address that only this
   * machine reaches.
   */
  isSafeWithout: () => boolean
  /** Whether the first password may be set from any address. */
  onboardingOpen: boolean
}

/** Changes the ways to sign in, for operators who are signed in. */
export function createAccessChanges ({
  db, audit, inTurn, password, passkeys, openness, sessions, isGated, changed, isSafeWithout, onboardingOpen
}: AccessChangesOptions) {
  function assertNotPinned (): void {
    if (!password.isPinned) return
    throw new Conflict('The password is set by SVC_WEBUI_PASSWORD; change it there and restart the service', 'password_pinned')
  }

  function assertMayChange ({ next, clear, passwordless }: Controls, { address }: Asker): void {
    if (passwordless === true) passkeys.assertPasswordlessPossible()
    if (next === undefined && !clear) return
    assertNotPinned()
    if (clear && !password.isOpen) throw new Conflict('There is no password to clear')
    if (clear && !isSafeWithout()) {
      throw new Conflict(
        'Other machines can reach this service, and without a password all of them could use it. Change the password instead, or listen on 127.0.0.1'
      )
    }
    if (next !== undefined && !isGated() && !onboardingOpen && !isNearby(address)) {
      throw new Forbidden('The first password can be set from this machine or a private network only. Set it there, or SVC_WEBUI_PASSWORD; behind a reverse proxy, name it in SVC_WEBUI_TRUSTED_PROXIES')
    }
  }

  return {
    /**
     * Sets a password without asking for the current one. Ends all sign-ins and passwordless mode. For the user of the service on its
     * machine, who could also edit its database. Throws Invalid, Conflict and TooMany.
     */
    async reset (wanted: string): Promise<void> {
      if (wanted.length > longestPassword) throw new Invalid(`The password is too long: at most ${longestPassword} characters`)
      assertNotPinned()
      const passwordHash = await password.hash(wanted)
      await inTurn(accessTurn, async () => {
        await db.durably(() => {
          const from = password.fingerprint
          password.replace(from, passwordHash)
          audit.record('auth.password', { change: from === null ? 'set' : 'changed' })
          if (passkeys.isPasswordless) {
            passkeys.setPasswordless(false)
            audit.record('auth.passwordless', { on: false })
          }
          openness.acknowledge(false)
        })
        changed()
      })
    },

    /**
     * Checks whether `changes`, a body of `POST /api/settings`, may be made as far as it concerns signing in. Throws Invalid; Forbidden for
     * a first password from a remote address and for a wrong or missing current one, which counts like a failed sign-in; TooMany; Conflict.
     */
    async prepare (changes: Record<string, unknown>, asker: Asker): Promise<AccessChange> {
      const controls = readControls(changes)
      if (asker.isDevice === true) assertLeavesAccess(controls, changes)
      assertMayChange(controls, asker)
      const { next, clear, passwordless, acknowledged } = controls
      const isAboutPassword = next !== undefined || clear
      const from = isAboutPassword ? await proveCurrent(password, controls.current, asker) : null
      const passwordHash = next === undefined ? null : await password.hash(next)

      return {
        apply: async ({ first, undo, alongside = null } = {}) => await inTurn(accessTurn, async () => {
          if (isAboutPassword) password.assertStill(from)
          if (passwordless === true) passkeys.assertPasswordlessPossible()
          if (first === undefined && alongside === null && !isAboutPassword && passwordless === undefined && acknowledged === undefined) {
            return { cookie: null, justEnabled: false }
          }
          const wasGated = isGated()
          const cookie = await whole(undo, async () => {
            await first?.()
            return await db.durably(() => {
              const fingerprint = isAboutPassword ? password.replace(from, passwordHash) : null
              if (isAboutPassword) audit.record('auth.password', { change: clear ? 'removed' : from === null ? 'set' : 'changed' })
              if (clear) passkeys.removeAll()
              if (passwordless !== undefined) {
                passkeys.setPasswordless(passwordless)
                audit.record('auth.passwordless', { on: passwordless })
              }
              // The acknowledgement was about having no password, and must be asked for again if there is none again.
              if (fingerprint !== null) openness.acknowledge(false)
              else if (acknowledged !== undefined) {
                openness.acknowledge(acknowledged)
                audit.record('auth.open_acknowledged', { acknowledged })
              }
              alongside?.()
              return fingerprint === null ? null : sessions.openWithin(fingerprint, asker.userAgent)
            })
          })
          changed()
          return { cookie, justEnabled: !wasGated && isGated() }
        })
      }
    }
  }
}

/** Returns the fingerprint of the password that is to be replaced, null for none. Throws Forbidden and TooMany. */
async function proveCurrent (
  password: AccessChangesOptions['password'], current: string | undefined, { address }: Asker
): Promise<string | null> {
  if (!password.isOpen) return null
  if (current === undefined) throw new Forbidden('Send the current password as _current_password')
  const proven = await password.check(current, address)
  if (proven === null) throw new Forbidden('The current password is wrong')
  return proven
}

/** Only a person may change how to sign in. Throws Forbidden. */
function assertLeavesAccess ({ next, clear, passwordless, acknowledged }: Controls, changes: Record<string, unknown>): void {
  const isAsked = next !== undefined || clear || passwordless !== undefined || acknowledged !== undefined
  if (!isAsked && changes.session_ttl_seconds === undefined) return
  throw new Forbidden('A token cannot change how you sign in. Sign in to change it', 'scope_too_narrow', { needed_scope: 'person' })
}

/** Runs `work`, and `undo` if it fails. */
async function whole<T> (undo: Company['undo'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo?.()
    throw error
  }
}
