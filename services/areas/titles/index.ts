export { createTitles, type Titles } from './titles.js'
