import { tried } from '../tried.js'

/** Returns the value of a JSON text; undefined if it is not valid. */
export const parseJson = (text: string): unknown => tried(() => JSON.parse(text), undefined)
