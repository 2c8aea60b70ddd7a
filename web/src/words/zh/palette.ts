import { type Words } from '../en/index.js'

export const palette: Words['palette'] = {
}
