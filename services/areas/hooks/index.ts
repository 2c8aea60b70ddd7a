export { createHooks, type Hook, type Hooks } from './hooks.js'
export { hookToWire } from './wire.js'
