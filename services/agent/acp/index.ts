export { Agents } from './agents.js'
export { createAgentEngine } from './engine.js'
export { lookAtAgent } from './probe.js'
