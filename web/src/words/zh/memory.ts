import { type Words } from '../index.js'

export const memory: Words['memory'] = {
}
