import { lazy } from '../ui/lazy.js'

/** Loads the view of a call's output with the first output. */
export const LazyOutput = lazy(async () => (await import('./CallOutputView.js')).CallOutputView, { waiting: <></> })
