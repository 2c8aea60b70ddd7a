import { type Words } from '../index.js'

export const offline: Words['offline'] = {
}
