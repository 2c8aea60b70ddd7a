import { type Words } from '../index.js'

export const files: Words['files'] = {
}
