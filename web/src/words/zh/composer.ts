import { type Words } from '../index.js'

export const composer: Words['composer'] = {
}
