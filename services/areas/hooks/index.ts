export { createHooks, type Hooks } from './hooks.js'
export { callToWire, hookToWire } from './wire.js'
