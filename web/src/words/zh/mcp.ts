import { type Words } from '../index.js'

export const mcp: Words['mcp'] = {
}
