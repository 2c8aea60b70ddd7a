export { Grants } from './grants.js'
