export { createTitles, type Titles, type TitlesOptions } from './titles.js'
