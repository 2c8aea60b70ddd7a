import { type Words } from '../index.js'

export const models: Words['models'] = {
}
