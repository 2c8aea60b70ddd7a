export { createSettings, type Settings } from './settings.js'
