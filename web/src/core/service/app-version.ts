import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api } from './api.js'

/**
 * Why a part of the app is missing. `new-version`: the service has another build by now. `cut-off`: it cannot
 * be reached. `broken`: it does not have it.
 */
export type Missing = 'new-version' | 'cut-off' | 'broken'

/** The build of the app that a window began with, and what the service says of its own. */
export interface AppVersion {
  /** The service has another build by now: parts that are not loaded yet may be gone. */
  readonly isOld: ReadonlySignal<boolean>
  /** What an answer of the service has said; null: nothing. */
  hear: (said: string | null) => void
  /** This device has got another build to begin windows with. */
  replaced: () => void
  /** Asks the service. Never throws. */
  ask: (api: Api) => Promise<Missing>
}

/** @param own as the page carries it; empty where it does not, which is never taken for old */
export function createAppVersion (own: string): AppVersion {
  const isOld = signal(false)
  return {
    isOld,
    hear (said) {
      // A service that is set back to the build of this window has its files again.
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
