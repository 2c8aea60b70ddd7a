export * from './prompts.js'
export { foresightToWire } from './foresight.js'
