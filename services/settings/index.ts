export { LimitSaves, type LimitSave } from './limit-saves.js'
export { tokenLimitChange, tokenLimits } from './token-limits.js'
export { refuseUnbuilt } from './unbuilt.js'
export { createSettings, type Settings } from './settings.js'
