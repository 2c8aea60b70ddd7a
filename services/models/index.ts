export { createModelCatalog, type Choice, type ListedModel, type ListedProvider, type ModelCatalog, type ModelGroup, type ModelGroups } from './models.js'
export { createDefaultModels, type DefaultModel, type DefaultModels } from './default-models.js'
export { createModelChooser, type ChosenModel, type ModelChoice, type ModelChooser } from './chooser.js'
