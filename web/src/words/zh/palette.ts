import { type Words } from '../index.js'

export const palette: Words['palette'] = {
}
