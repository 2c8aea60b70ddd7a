import { type ModelChooser } from './chooser.js'
import { type DefaultModels } from './default-models.js'
import { type ModelCatalog } from './models.js'

export { createModelCatalog, type Choice, type ListedModel, type ListedProvider, type ModelCatalog, type ModelGroup, type ModelGroups } from './models.js'
export { createDefaultModels, type DefaultModel, type DefaultModels } from './default-models.js'
export { createModelChooser, type ChosenModel, type ModelChoice, type ModelChooser } from './chooser.js'

export interface Models {
  /** Which models there are. */
  catalog: ModelCatalog
  /** Which one a turn or a task gets. */
  chooser: ModelChooser
  /** Which one each profile answers with, without waiting. */
  defaults: DefaultModels
}
