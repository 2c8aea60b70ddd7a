import { words } from '../words/index.js'

/** The id of the built-in demo, as a provider and as its only model. */
export const demoProvider = 'offline-demo'

/** Returns the name of a provider or of its model; the built-in demo has one in the language of the app. */
export const shownName = (provider: string | null, name: string): string => provider === demoProvider ? words.value.bar.demo : name
