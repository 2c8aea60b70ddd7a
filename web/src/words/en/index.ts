import { common } from './common.js'

/** English. Each area has its words in a file of its own, in both languages. */
export const en = { common }
