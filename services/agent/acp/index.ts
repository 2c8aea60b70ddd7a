export { Agents } from './agents.js'
export { createAgentEngine } from './engine.js'
export { probeAgent } from './probe.js'
