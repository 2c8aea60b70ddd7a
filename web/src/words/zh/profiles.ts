import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
}
