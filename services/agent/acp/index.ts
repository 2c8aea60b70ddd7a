export { Agents } from './agents.js'
export { createAgentEngine } from './engine.js'
export { AgentFailure } from './failure.js'
export { lookAtAgent } from './look.js'
