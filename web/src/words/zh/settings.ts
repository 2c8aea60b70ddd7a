import { type Words } from '../index.js'

export const settings: Words['settings'] = {
}
