import { lazy } from '../ui/lazy.js'

/** Describes an event, once the words for it are loaded. */
export const LazyEventText = lazy(async () => (await import('./EventText.js')).EventText, { waiting: <>…</>, missing: () => null })
