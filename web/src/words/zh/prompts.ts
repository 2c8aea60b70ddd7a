import { type Words } from '../en/index.js'

export const prompts: Words['prompts'] = {
}
