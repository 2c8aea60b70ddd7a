import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api } from './api.js'

/**
 * Why a part of the app is missing. `new-version`: the service has another build by now. `cut-off`: the service cannot be reached.
 * `broken`: the service does not have it.
 */
export type Missing = 'new-version' | 'cut-off' | 'broken'

/** Compares the build of the app in this window with the service's. */
export interface AppVersion {
  /** The service has another build, so parts that are not loaded yet may be gone. */
  readonly isOld: ReadonlySignal<boolean>
  /** Takes over what an answer said of the build; null: nothing. */
  hear: (said: string | null) => void
  /** Called when this device has another build for new windows. */
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
