import { tried } from '../../ground/tried.js'
/** The value of a JSON text, undefined when it is none. */
export const parseJson = (text: string): unknown => tried(() => JSON.parse(text), undefined)
