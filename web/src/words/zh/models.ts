import { type Words } from '../en/index.js'

export const models: Words['models'] = {
}
