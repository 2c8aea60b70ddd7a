export { createTitles, type TitlesOptions } from './titles.js'
