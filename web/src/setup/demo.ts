import { computed } from '@preact/signals'
import { demoProvider } from '../models/shown-name.js'
import { catalog } from '../models/store.js'

/** Whether only the built-in demo answers; null until known. */
export const isDemo = computed(() => {
  const known = catalog.value.value
  return known === undefined ? null : known.active_provider === null || known.active_provider === demoProvider
})
