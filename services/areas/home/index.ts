export { createHome, type Home } from './home.js'
export { startDocument } from './start.js'
