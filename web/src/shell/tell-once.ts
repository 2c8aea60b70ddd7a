import { personStore } from '../app.js'
import { createToldOnce, windowPlace } from '../core/device/told-once.js'

const { locks }: Partial<Navigator> = navigator

/** Shows something in only one window of this browser, once. */
export const tellOnce = createToldOnce({
  store: personStore,
  place: windowPlace(),
  // Without locks, windows of a browser still rarely check at the same moment.
  alone: async (act) => locks === undefined ? await act() : await locks.request('told', act)
})
