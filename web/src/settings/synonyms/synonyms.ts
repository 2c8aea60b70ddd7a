import { type englishAndChinese } from './english-chinese.js'

/** Other names of each setting, in one language. */
export type Synonyms = Readonly<Record<keyof typeof englishAndChinese, string>>
