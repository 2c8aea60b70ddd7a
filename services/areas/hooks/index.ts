export { createHooks, type Hooks } from './hooks.js'
export { hookToWire } from './wire.js'
