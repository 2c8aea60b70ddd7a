import { type Words } from '../index.js'

export const profiles: Words['profiles'] = {
}
