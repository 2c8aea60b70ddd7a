import { type Words } from '../index.js'

export const prompts: Words['prompts'] = {
}
