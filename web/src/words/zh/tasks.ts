import { type Words } from '../index.js'

export const tasks: Words['tasks'] = {
}
