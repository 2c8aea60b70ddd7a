export { createShares, type Shares } from './shares.js'
