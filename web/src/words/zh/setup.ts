import { type Words } from '../index.js'

export const setup: Words['setup'] = {
}
