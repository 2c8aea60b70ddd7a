import { lazy } from './lazy.js'

/** Loads the code for diffs with the first diff. */
export const LazyDiff = lazy(async () => (await import('./DiffView.js')).DiffView)
