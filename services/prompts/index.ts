export * from './prompts.js'
