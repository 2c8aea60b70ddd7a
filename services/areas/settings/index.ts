export { LimitSaves, type LimitSave } from './limit-saves.js'
export { limitChanges, tokenLimits } from './limits.js'
export { createSettings, type Settings } from './settings.js'
