import { type AgentModes } from './agent-modes.js'
import { type ModelCatalog } from './catalog.js'
import { type ModelChooser } from './chooser.js'
import { type ModelConfiguration } from './configuring.js'
import { type DefaultModels } from './default-models.js'
import { type Discovery } from './discovery.js'
import { type ProviderKeys } from './provider-keys.js'
import { type Reasoning } from './reasoning.js'

export { finishedAnswer, groupsToWire, modelToWire } from './answer.js'
export { AgentModes, type AgentModesOf } from './agent-modes.js'
export { AgentCommands } from './agent-commands.js'
export { ModelCatalog, type ListedProvider } from './catalog.js'
export { answeringWith, type ModelGroup, type ModelGroups } from './picker.js'
export { createDefaultModels } from './default-models.js'
export { createModelChooser, type ChoiceElsewhere, type ChosenModel, type ModelChoice, type ModelChooser, type TurnTaskSlot } from './chooser.js'
export { ModelConfiguration } from './configuring.js'
export { Discovery } from './discovery.js'
export { type FallbackList } from './fallbacks.js'
export { firstModelOf } from './first-model.js'
export { ProviderKeys } from './provider-keys.js'
export { outputLimits } from './selection.js'
export { Reasoning, reasoningToWire } from './reasoning.js'
export { ProviderTests, type ProviderTestResult } from './testing.js'

export interface Models {
  /** Which models there are. */
  catalog: ModelCatalog
  /** Which one a turn or a task gets. */
  chooser: ModelChooser
  /** Which one each profile answers with, without waiting. */
  defaults: DefaultModels
  /** Changes which one that is. */
  configuration: ModelConfiguration
  /** In which modes agents of other makers may work. */
  agentModes: AgentModes
  keys: ProviderKeys
  reasoning: Reasoning
  /** Which model servers run on this machine. */
  discovery: Discovery
}
