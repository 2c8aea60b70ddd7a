import { computed } from '@preact/signals'
import { catalog } from '../models/store.js'

export const demoProvider = 'offline-demo'

/** Whether only the built-in demo answers; null until known. */
export const isDemo = computed(() => {
  const known = catalog.value.value
  return known === undefined ? null : known.active_provider === null || known.active_provider === demoProvider
})
