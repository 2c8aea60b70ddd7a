export { createAgentRuntime, type AgentRuntime } from './runtime/runtime.js'
export { type HostConnection, type HostTransport } from './runtime/connection.js'
export { type NumberedEvent, type RunObserver } from './runtime/followed-run.js'
export { RequestHandlers, ServedRequests, type RequestHandler } from './runtime/served-requests.js'
export { readMessage } from './runtime/incoming.js'
export { dispatching, openNatsTransport } from './runtime/dispatching.js'
export { type MachinePresence, type MachineTransport } from './runtime/machines.js'
export { createPatientTransport } from './runtime/patient-transport.js'
export { forkTransport } from './runtime/fork.js'
export { documentLimitBytes, projectContexts, type ProjectContexts } from './project-context.js'
export {
  clientOf, createSignInFetch, expiryOf, filledIn, forgetCredentials, forgetOtherCredentials, forgetViews, hasCredentials, headerName,
  keepCredentials, keptViewsOf, lastKnownPrompts, lastKnownState, mcpLibrary, mcpServersOf, mcpTokensOf, namedOf, pluginServers, readView,
  McpAddressRefused, resolvedTarget, rootVariable, secretsOfCredentials, serverName, serverOfView, serversOf, signInProblem, variableName,
  type KeptView,
  type McpCredentials, type McpQueryAnswer, type McpQueryBody, type McpServerConfig, type McpServerState, type McpTarget
} from './mcp/index.js'
export { withoutDemoNotice } from './model/demo-words/index.js'
export { mostPlanChars, planSteps, planTitle, type PlanStep } from './plan-steps.js'
export { systemPrompt, type SystemPrompt } from './system-prompt.js'
export { workspaceRules, type WorkspaceRules } from './workspace-rules.js'
export {
  boundaryFolder, findContainerBoundary, findSandbox, sealOf, unacceptedCommand, type SandboxRefusal, type SandboxStatus
} from './sandbox/index.js'
export { denialOf } from './policy/index.js'
export { gitCommandAt } from './policy/tables/git-command.js'
export { createCheckRunner, type CheckResult, type CheckRunner } from './tools/check-command.js'
export { commandFile, commandFolders, isInstructionFile } from './instructions.js'
export { type JobChange, type JobFacts } from './job-change.js'
export { continueMessage } from './acp/continue-message.js'
export { offersVersion, readOffer } from './acp/offer.js'
export { forgetAgentSession, marked } from './acp/kept-sessions.js'
export { smallTasks, type ModelSlot, type SmallTaskInput, type SmallTaskName, type SmallTaskResult } from './small-tasks/tasks.js'
