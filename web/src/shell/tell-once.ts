import { personStore } from '../app.js'
import { createToldOnce, windowPlace } from '../core/device/told-once.js'

const { locks }: Partial<Navigator> = navigator

/** Says something in one window of this browser, once. */
export const tellOnce = createToldOnce({
  store: personStore,
  place: windowPlace(),
  // Without locks, the windows of a browser still rarely look at the same moment.
  alone: async (act) => locks === undefined ? await act() : await locks.request('told', act)
})
