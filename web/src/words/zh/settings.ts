import { type Words } from '../en/index.js'

export const settings: Words['settings'] = {
}
