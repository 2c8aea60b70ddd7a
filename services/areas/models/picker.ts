import { describeModel, missingCredential, staticModels, type ModelInfo, type ProviderEntry } from '../../providers/index.js'
import { modelBadges, type ModelBadge } from './badges.js'
import { type ModelList } from './lists.js'
import { type ProfileModels } from './profile-models.js'

/** A model to choose from, with its known properties. */
export type ListedModel = Pick<ModelInfo, 'id' | 'label' | 'contextLength' | 'cost' | 'sees' | 'thinks'>

/** One provider in the model picker. Ids carry `@provider:` unless the provider is the active one. */
export interface ModelGroup {
  providerId: string
  displayName: string
  models: ListedModel[]
  /** The models that do not fit into `models`, for search and "show all". */
  extraModels: ListedModel[]
  /** Why the provider's own list is missing; `models` then holds what is known without it. */
  endpointError: string | null
  /** Set for an agent of another maker. */
  isAgent?: true
}

export interface ModelGroups {
  activeProvider: string | null
  defaultModel: string | null
  groups: ModelGroup[]
  aliases: Record<string, string>
  /** What the profile uses models for, by their ids in the groups. */
  badges: Record<string, ModelBadge>
}

const pickerLimit = 25
const pickerVisible = 15

/** Returns what the model picker shows of a profile; `lists` holds the lists of its providers, by their ids. */
export function modelGroups (models: ProfileModels, lists: ReadonlyMap<string, ModelList>): ModelGroups {
  const { active, selection } = models
  const first = active === undefined ? undefined : offered(active, lists.get(active.id))[0]?.id
  const selected = selection.id ?? first ?? null
  return {
    activeProvider: active?.id ?? null,
    defaultModel: selected,
    groups: models.entries.map((entry) =>
      entry === active ? activeGroup(entry, lists.get(entry.id), selected) : otherGroup(entry, lists.get(entry.id))),
    aliases: selection.aliases,
    badges: modelBadges(models, selected)
  }
}

/** Includes the selected model, even if the provider does not list it. */
function activeGroup (entry: ProviderEntry, list: ModelList | undefined, selected: string | null): ModelGroup {
  const rows = offered(entry, list).map(toListedModel)
  const isListed = rows.some(({ id }) => id === selected)
  return groupOf(entry, list, selected !== null && !isListed ? [toListedModel(describeModel(entry, selected)), ...rows] : rows, selected)
}

function otherGroup (entry: ProviderEntry, list: ModelList | undefined): ModelGroup {
  return groupOf(entry, list, offered(entry, list).map((model) => ({ ...toListedModel(model), id: `@${entry.id}:${model.id}` })), null)
}

function groupOf (entry: ProviderEntry, list: ModelList | undefined, rows: ListedModel[], selected: string | null): ModelGroup {
  const { models, extraModels } = splitForPicker(rows, selected)
  return {
    providerId: entry.id,
    displayName: extraModels.length > 0 ? `${entry.displayName} (${models.length} of ${rows.length})` : entry.displayName,
    models,
    extraModels,
    endpointError: list?.error ?? missingCredential(entry),
    ...(entry.kind === 'acp' ? { isAgent: true as const } : {})
  }
}

function offered (entry: ProviderEntry, list: ModelList | undefined): ModelInfo[] {
  return list?.models ?? staticModels(entry)
}

/** More than 25 models become 15 and the rest; the selected one is always among the 15. */
export function splitForPicker (rows: ListedModel[], selected: string | null): { models: ListedModel[], extraModels: ListedModel[] } {
  if (rows.length <= pickerLimit) return { models: rows, extraModels: [] }
  const place = rows.findIndex(({ id }) => id === selected)
  const visible = new Set(rows.slice(0, place < pickerVisible ? pickerVisible : pickerVisible - 1))
  for (const row of rows.slice(Math.max(place, pickerVisible), place + 1)) visible.add(row)
  return { models: [...visible], extraModels: rows.filter((row) => !visible.has(row)) }
}

export function toListedModel ({ id, label, contextLength, cost, sees, thinks }: ModelInfo): ListedModel {
  return { id, label, contextLength, cost, sees, thinks }
}

/** Returns the same groups with another default model, whose provider becomes the active one. */
export function answeringWith (groups: ModelGroups, { provider, id: model }: { provider: string, id: string }): ModelGroups {
  const { activeProvider: before } = groups
  const idOf = (id: string, owner: string): string => {
    const bare = id.startsWith(`@${owner}:`) ? id.slice(owner.length + 2) : id
    return owner === provider ? bare : owner === before ? `@${owner}:${bare}` : id
  }
  const changed = groups.groups.map((group) => {
    const renamed = (rows: ListedModel[]): ListedModel[] => rows.map((row) => ({ ...row, id: idOf(row.id, group.providerId) }))
    return { ...group, models: renamed(group.models), extraModels: renamed(group.extraModels) }
  })
  return {
    ...groups,
    activeProvider: provider,
    defaultModel: model,
    groups: [
      ...changed.filter(({ providerId }) => providerId === provider), ...changed.filter(({ providerId }) => providerId !== provider)
    ],
    badges: Object.fromEntries(Object.entries(groups.badges).map(([id, badge]) => [idOf(id, badge.provider), badge]))
  }
}
