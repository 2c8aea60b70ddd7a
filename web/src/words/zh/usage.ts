import { type Words } from '../en/index.js'

export const usage: Words['usage'] = {
}
