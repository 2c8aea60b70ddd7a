import { longestPassword } from '../../../schemas/auth.js'
import { Invalid } from '../../ground/errors.js'

/** What a client asks to change about signing in; absent keys change nothing. */
export interface Controls {
  /** The new password. */
  next?: string
  /** The current password, as the client says. */
  current?: string
  clear: boolean
  passwordless?: boolean
  acknowledged?: boolean
}

/**
 * Reads the control keys of `POST /api/settings`, which are acted on and never stored as settings. Null and an empty text ask for nothing.
 * Throws Invalid.
 */
export function readControls (changes: Record<string, unknown>): Controls {
  const next = textOf(changes, '_set_password')
  const clear = flagOf(changes, '_clear_password') ?? false
  const passwordless = flagOf(changes, '_passwordless')
  if (clear && next !== undefined) throw new Invalid('_set_password and _clear_password contradict each other: send one of them')
  if (clear && passwordless === true) {
    throw new Invalid('_clear_password removes the passkeys that _passwordless needs: send one of them')
  }
  return {
    next, current: textOf(changes, '_current_password'), clear, passwordless, acknowledged: flagOf(changes, '_auth_disabled_acknowledged')
  }
}

function textOf (changes: Record<string, unknown>, key: string): string | undefined {
  const value = changes[key] ?? ''
  if (typeof value !== 'string') throw new Invalid(`${key}: expected string`)
  if (value.length > longestPassword) throw new Invalid(`${key}: expected at most ${longestPassword} characters`)
  return value === '' ? undefined : value
}

function flagOf (changes: Record<string, unknown>, key: string): boolean | undefined {
  const value = changes[key] ?? ''
  if (value === '') return undefined
  if (typeof value !== 'boolean') throw new Invalid(`${key}: expected boolean`)
  return value
}
