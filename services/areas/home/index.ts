export { createHome, type Home } from './home.js'
