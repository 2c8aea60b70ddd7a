import { lazy } from './lazy.js'

/** Loads the view of diffs with the first one. */
export const LazyDiff = lazy(async () => (await import('./DiffView.js')).DiffView)
