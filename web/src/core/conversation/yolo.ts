import { signal } from '@preact/signals-core'
import { ApiError, type Api } from '../service/api.js'
import { readYolo, setYolo } from '../sessions/session-settings.js'

/** The sessions that run without asking for permission, until the service restarts. */
export class Yolo {
  readonly #on = signal<ReadonlySet<string>>(new Set())

  constructor (readonly api: Api) {}

  /** Whether it is on, as far as known. A reactive read. */
  isOn (sessionId: string | null): boolean { return sessionId !== null && this.#on.value.has(sessionId) }

  /** Reads whether it is on. On failure the known state stays. */
  async refresh (sessionId: string): Promise<boolean> {
    try {
      this.#know(sessionId, await readYolo(this.api, sessionId))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
    return this.#on.peek().has(sessionId)
  }

  /** Turns it on or off. Throws ApiError. */
  async set (sessionId: string, isOn: boolean): Promise<boolean> {
    const isSet = await setYolo(this.api, sessionId, isOn)
    this.#know(sessionId, isSet)
    return isSet
  }

  #know (sessionId: string, isOn: boolean): void {
    if (this.#on.peek().has(sessionId) === isOn) return
    const on = new Set(this.#on.peek())
    if (isOn) on.add(sessionId)
    else on.delete(sessionId)
    this.#on.value = on
  }
}
