export { Personalities, type Personality } from './personalities.js'
