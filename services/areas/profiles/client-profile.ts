import { type Auth, type Operator } from '../auth/index.js'
import { type Profiles } from './profiles.js'

/**
 * The profile that a client works in. Each client chooses for itself and keeps its choice in a cookie. Behind a gate, the cookie is signed
 * for the session in which it was made, so that no other client can use it. A client without a choice, or whose chosen profile is gone,
 * works in the server-wide profile.
 */
export class ClientProfile {
  readonly #profiles: Pick<Profiles, 'active' | 'get' | 'isIsolated'>
  readonly #auth: Pick<Auth, 'sign' | 'verify' | 'gated'>

  constructor ({
    profiles, auth
  }: { profiles: Pick<Profiles, 'active' | 'get' | 'isIsolated'>, auth: Pick<Auth, 'sign' | 'verify' | 'gated'> }) {
    this.#profiles = profiles
    this.#auth = auth
  }

  /** Returns the cookie value of a client that chooses `name`: the name, and behind a gate `.` and a signature (hex). */
  cookie (operator: Operator | null, name: string): string {
    return this.#auth.gated ? `${name}.${this.#auth.sign('profile', this.#text(operator, name))}` : name
  }

  /**
   * Returns the profile of a request.
   * @param cookies every value of the cookie that the request carries
   */
  of (operator: Operator | null, cookies: readonly string[]): string {
    if (cookies.length > 0 && !this.#profiles.isIsolated) {
      for (const cookie of cookies) {
        const [name = '', signature = ''] = cookie.split('.')
        if (this.#profiles.get(name) !== undefined &&
          (!this.#auth.gated || this.#auth.verify('profile', this.#text(operator, name), signature))) return name
      }
    }
    return this.#profiles.active()
  }

  #text (operator: Operator | null, name: string): string {
    return `${operator?.tokenHash ?? operator?.via ?? ''}:${name}`
  }
}
