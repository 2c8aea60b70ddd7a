import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
}
