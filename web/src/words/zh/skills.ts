import { type Words } from '../en/index.js'

export const skills: Words['skills'] = {
}
