import { type Words } from '../en/index.js'

export const tasks: Words['tasks'] = {
}
