import { type Words } from '../index.js'

export const usage: Words['usage'] = {
}
