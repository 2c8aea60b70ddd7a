import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
}
