import { type Words } from '../index.js'

export const conversation: Words['conversation'] = {
}
