import { type AgentModes } from './agent-modes.js'
import { type ModelCatalog } from './catalog.js'
import { type ModelChooser } from './chooser.js'
import { type ModelConfiguration } from './configuring.js'
import { type DefaultModels } from './default-models.js'
import { type Discovery } from './discovery.js'
import { type ProviderKeys } from './provider-keys.js'
import { type Reasoning } from './reasoning.js'

export { finishedAnswer, groupsToWire, modelToWire } from './wire.js'
export { AgentModes, type AgentModesOf } from './agent-modes.js'
export { AgentCommands } from './agent-commands.js'
export { ModelCatalog, type ListedProvider } from './catalog.js'
export { answeringWith, type ModelGroup, type ModelGroups } from './picker.js'
export { createDefaultModels } from './default-models.js'
export { createModelChooser, type ChoiceElsewhere, type ChosenModel, type ModelChoice, type ModelChooser, type TurnTask } from './chooser.js'
export { ModelConfiguration } from './configuring.js'
export { Discovery } from './discovery.js'
export { type FallbackList } from './fallbacks.js'
export { firstModelOf } from './first-model.js'
export { ProviderKeys } from './provider-keys.js'
export { outputLimits } from './configured-models.js'
export { Reasoning, reasoningToWire } from './reasoning.js'
export { ProviderTests, type ProviderTestResult } from './testing.js'

export interface Models {
  /** The available models. */
  catalog: ModelCatalog
  /** Chooses the model for a turn or a task. */
  chooser: ModelChooser
  /** The default model of each profile, without waiting. */
  defaults: DefaultModels
  /** Changes the default model. */
  configuration: ModelConfiguration
  /** The modes in which external agents may work. */
  agentModes: AgentModes
  keys: ProviderKeys
  reasoning: Reasoning
  /** The model servers that run on this machine. */
  discovery: Discovery
}
