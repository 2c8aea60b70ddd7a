import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api } from './api.js'

/**
 * Why a part of the app is missing. `new-version`: the service now has another build. `cut-off`: the service cannot be reached. `broken`:
 * the service does not have it.
 */
export type Missing = 'new-version' | 'cut-off' | 'broken'

/** Compares the build of the app in this window with the service's. */
export interface AppVersion {
  /** Whether the service has another build, so that parts that are not loaded yet may be gone. */
  readonly isOld: ReadonlySignal<boolean>
  /** Takes the build that an answer named; null if it named none. */
  hear: (said: string | null) => void
  /** Called when this device will use another build for new windows. */
  replaced: () => void
  /** Asks the service. Never throws. */
  ask: (api: Api) => Promise<Missing>
}

/** @param own the build in the page; empty if it names none, which never counts as old */
export function createAppVersion (own: string): AppVersion {
  const isOld = signal(false)
  return {
    isOld,
    hear (said) {
      // A service that returns to the build of this window has its files again.
      if (own !== '' && said !== null) isOld.value = said !== own
    },
    replaced () {
      isOld.value = true
    },
    async ask (api) {
      try {
        await api.get('/api/auth/status')
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (!isOld.peek() && (error.status === 0 || error.status >= 500)) return 'cut-off'
      }
      return isOld.peek() ? 'new-version' : 'broken'
    }
  }
}
