import { type Devices } from './devices.js'
import { type Oidc } from './oidc.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type PasswordGate } from './password-gate.js'
import { type ProxyGate } from './proxy-gate.js'
import { partsOfMark } from './session-marks.js'
import { type AuthSessions, type Operator } from './sessions.js'
import { equalInConstantTime } from './signer.js'

export interface AdmissionOptions {
  isGated: () => boolean
  password: Pick<PasswordGate, 'isOpen' | 'isInForce'>
  passkeys: Pick<PasskeyGate, 'has'>
  oidc: Pick<Oidc, 'isInForce'>
  proxy: ProxyGate
  devices: Pick<Devices, 'find' | 'isInForce' | 'scopeOf'>
  sessions: Pick<AuthSessions, 'find' | 'isOpen'>
}

const open: Operator = { via: 'open', csrfToken: '' }
/**
 * A program that runs as the service's own user on its machine. It cannot change how a person signs in, except by resetting the password.
 */
const atConsole: Operator = { via: 'console', csrfToken: '', scope: 'admin' }

/** Decides who is let in, request by request: by the session that a sign-in has opened, or by a header each time. */
export function createAdmission ({ isGated, password, passkeys, oidc, proxy, devices, sessions }: AdmissionOptions) {
  /** Whether the sign-in that opened a session would still be accepted. */
  function isInForce (mark: string): boolean {
    const { fingerprint, passkeyId, oidc: version, deviceId } = partsOfMark(mark)
    if (deviceId !== null) return devices.isInForce(deviceId)
    if (version !== null && !oidc.isInForce(version)) return false
    if (passkeyId !== null && !passkeys.has(passkeyId)) return false
    return fingerprint === null ? !password.isOpen : password.isInForce(fingerprint)
  }

  return {
    /**
     * Returns the operator for the credentials of a request, or null if it is unknown: the raw bytes of the fixed header, and the values of
     * all cookies with the session cookie's name. A token is checked before the other credentials, even if there is no gate: a request with
     * a token has its rights and no others. `console`: the request came through the socket that only the service's user can open.
     */
    admit (presented: { console?: boolean, proxySecret?: Buffer, cookies: string[], token?: string }): Operator | null {
      if (presented.console === true) return atConsole
      if (presented.token !== undefined) return devices.find(presented.token)
      if (!isGated()) return open
      const proxied = proxy.admit(presented.proxySecret)
      if (proxied !== null) return proxied
      for (const value of presented.cookies) {
        const operator = sessions.find(value, isInForce)
        if (operator?.deviceId !== undefined) return { ...operator, scope: devices.scopeOf(operator.deviceId) ?? 'read' }
        if (operator !== null) return operator
      }
      return null
    },

    /** Whether an operator who was admitted like this would still be admitted in the same way. */
    stands ({ via, tokenHash }: { via: Operator['via'], tokenHash?: string | null }): boolean {
      if (via === 'console') return true
      if (via === 'token') return tokenHash != null && devices.isInForce(tokenHash.slice('device:'.length))
      if (!isGated()) return true
      if (via === 'proxy') return proxy.isOpen
      return via === 'cookie' && tokenHash != null && sessions.isOpen(tokenHash, isInForce)
    },

    isCsrfToken: (operator: Operator, token: string): boolean =>
      operator.csrfToken !== '' && equalInConstantTime(operator.csrfToken, token)
  }
}
