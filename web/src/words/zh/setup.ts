import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
}
