import { type Words } from '../index.js'

export const inbox: Words['inbox'] = {
}
