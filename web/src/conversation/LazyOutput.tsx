import { lazy } from '../ui/lazy.js'

/** What a call prints, for what the page begins with: its code comes with the first that prints something. */
export const LazyOutput = lazy(async () => (await import('./CallOutputView.js')).CallOutputView, { waiting: <></> })
