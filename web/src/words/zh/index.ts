import { type Words } from '../index.js'
import { common } from './common.js'

export const zh: Words = { common }
