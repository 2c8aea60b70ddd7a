export { Personalities } from './personalities.js'
