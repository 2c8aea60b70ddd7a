export { createFolderWatch, type FolderWatch } from './folder-watch.js'
export { type Territory } from './place.js'
export { createTerritories, type Territories } from './territories.js'
