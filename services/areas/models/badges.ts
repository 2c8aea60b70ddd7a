import { meantModel } from './meant-model.js'
import { type ProfileModels } from './profile-models.js'
import { auxiliaryModel, fallbackModels, providerName, type WantedModel } from './configured-models.js'
import { slotNamed } from './slots.js'

/** What a profile uses a model for: `role` is the most important use, `label` its name, `tasks` the kinds of small tasks it does. */
export interface ModelBadge { role: 'primary' | 'fallback' | 'auxiliary', label: string, provider: string, tasks: string[] }

/**
 * Returns the uses of models in a profile's config.yaml, by their ids in the picker: the selected model, its fallbacks, and those of small
 * tasks. Models of providers that are not set up have no badge. Sends no requests.
 */
export function modelBadges (models: ProfileModels, selected: string | null): Record<string, ModelBadge> {
  const { config } = models.options
  const badges = new Map<string, ModelBadge>()
  const give = (wanted: WantedModel, role: ModelBadge['role'], label: string, tasks: string[] = []): void => {
    const meant = meantModel(models, wanted)
    if (meant === undefined) return
    const { entry, id } = meant
    const key = entry === models.active ? id : `@${entry.id}:${id}`
    const before = badges.get(key)
    if (before === undefined) badges.set(key, { role, label, provider: entry.id, tasks })
    else {
      before.tasks.push(...tasks)
      if (before.role === 'auxiliary') before.label += `, ${label}`
    }
  }
  if (models.active !== undefined && selected !== null) {
    badges.set(selected, { role: 'primary', label: 'Primary', provider: models.active.id, tasks: [] })
  }
  for (const [index, wanted] of fallbackModels(config).entries()) give(wanted, 'fallback', `Fallback ${index + 1}`)
  for (const { task, label } of slotNamed.all) {
    const wanted = auxiliaryModel(config, task)
    const isMain = wanted === undefined || ((wanted.model ?? '').trim() === '' && providerName(wanted.provider) === undefined)
    if (!isMain) give(wanted, 'auxiliary', label, [task])
  }
  return Object.fromEntries(badges)
}
