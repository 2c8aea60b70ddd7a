import { tried } from '../../ground/tried.js'
/** Parses a JSON text; undefined if it is invalid. */
export const parseJson = (text: string): unknown => tried(() => JSON.parse(text), undefined)
