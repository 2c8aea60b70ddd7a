import { lazy } from './lazy.js'

/** A difference, for what the page begins with: its code comes when the first one is shown. */
export const LazyDiff = lazy(async () => (await import('./DiffView.js')).DiffView)
