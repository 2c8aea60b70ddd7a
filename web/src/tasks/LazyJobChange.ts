import { lazy } from '../ui/lazy.js'

/** Loads the view of a changed task with the first one. */
export const LazyJobChange = lazy(async () => (await import('./JobChange.js')).JobChange)
