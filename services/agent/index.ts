export { createAgentRuntime, type AgentRuntime, type HostConnection, type HostHealth, type HostTransport, type RunObserver } from './runtime.js'
export { forkTransport, hostEnvironment } from './transports/fork.js'
export { systemPrompt } from './system-prompt.js'
export { withAttachmentNames } from './engines/history.js'
