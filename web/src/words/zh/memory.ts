import { type Words } from '../en/index.js'

export const memory: Words['memory'] = {
}
