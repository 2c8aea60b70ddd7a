import { type Words } from '../en/index.js'

export const files: Words['files'] = {
}
