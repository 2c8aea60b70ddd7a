import { type Words } from '../index.js'

export const skills: Words['skills'] = {
}
