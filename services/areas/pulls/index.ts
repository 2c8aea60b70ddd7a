export { ForgeClient } from './client.js'
export { createPulls, type PullMaterial, type Pulls } from './pulls.js'
export { askingPrograms, createForgeTokens } from './tokens.js'
export { forgeToWire, logToWire, lookToWire, summaryToWire } from './wire.js'
