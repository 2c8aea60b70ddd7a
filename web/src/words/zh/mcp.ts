import { type Words } from '../en/index.js'

export const mcp: Words['mcp'] = {
}
