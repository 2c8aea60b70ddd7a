export {
  catalogModelOf, defaultModel, findModel, fitEffort, isEffort, priceOf, type CatalogModel, type Cost, type Effort
} from './catalog.js'
export { isWebPage, WebPage } from './unreachable.js'
export { classifyModelError, leadsElsewhere, ProviderNotReady, shortLimitMs, withoutSecrets, type ModelFailure } from './errors.js'
export { limitWords, longestLimitMs, saysUsedUp } from './limit-times.js'
export { answerLimits, AnswerTooLarge, isDeeperThan, responseLimits } from './limits.js'
export { createBodyMeter, limitedFetch, limitedResponse, type BodyMeter } from './limited-fetch.js'
export { addressOf } from './direct-fetch.js'
export { createGuardedFetch, guardedFetch } from './guarded-fetch.js'
export { plainResponse } from './plain-response.js'
export { withoutForeignRedirects } from './redirects.js'
export { createLocalProbe, discoverServers, type DiscoveredServer } from './local.js'
export { describeModel, KeyRefused, listModels, staticModels, type ModelInfo } from './models.js'
export { checkProvider, type ProviderProblem } from './check.js'
export { addressProblem, reachedAddressProblem } from './addresses.js'
export { agentPresets, presetIds, type AgentPresetId, type OwnFolder } from './agent-presets.js'
export {
  agentModelOf, agentOf, onPath, agentPlace, agentProblem, agentRefusal, configuredAgents, foundAgents, inMode, mayWorkIn, ownModel,
  profileAgentId, type AgentCommand, type AgentIsolation, type ConfiguredAgent
} from './agents.js'
export { installableAgents, registeredAgents, registryDates, type RegisteredAgent } from './agent-registry.js'
export { callSettings, callSettingsFor, fetchWithExtras, ownKeysIn, requestedProvider, slotSection } from './call-settings.js'
export { signInOnly } from './sign-in.js'
export { canonicalProviderId, customProviderId, keyedProviders, keyVariablesOf, providerDisplayName } from './known-providers.js'
export { missingCredential, resolveProviders, tokenCount, type LocalServer, type ProviderEntry } from './registry.js'
