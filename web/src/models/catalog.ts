import { type Wire } from '../core/service/api.js'
import { shownName } from './shown-name.js'

/** A model and its provider, in the form that turns and sessions use. */
export interface ModelChoice { readonly model: string, readonly provider: string | null }

export interface PickableModel {
  /** The provider's name for it. */
  readonly model: string
  readonly provider: string
  readonly label: string
  /** Unique among all models. */
  readonly key: string
  readonly isCurrent: boolean
  readonly isDefault: boolean
  readonly badge: Wire<'ModelBadge'> | null
  /** Its known facts. */
  readonly facts: Pick<Wire<'ModelRow'>, 'price' | 'context_length' | 'vision' | 'reasoning'>
}

export interface PickableGroup {
  readonly provider: string
  readonly name: string
  /** Why the provider's own list is missing. */
  readonly problem: string | null
  readonly models: readonly PickableModel[]
}

/** Returns the id without the provider's prefix. */
function bareModel (id: string, provider: string): string {
  const prefix = `@${provider}:`
  return id.startsWith(prefix) ? id.slice(prefix.length) : id
}

/** Returns the models whose name, or whose provider's, contains every word of `search`, by provider, without empty groups. */
export function pickableGroups (
  reply: Wire<'ModelsReply'>, { search = '', current = null }: { search?: string, current?: ModelChoice | null } = {}
): PickableGroup[] {
  const sought = search.trim().toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  const groups = reply.groups.map(({
    provider_id: provider, provider: wireName, models, extra_models: extra, models_endpoint_error: problem
  }) => {
    const name = shownName(provider, wireName.replace(/ \(\d+ of \d+\)$/, ''))
    const pickable = [...models, ...extra].map(({ id, label, ...facts }): PickableModel => {
      const model = bareModel(id, provider)
      return {
        model,
        provider,
        label: shownName(provider, label),
        key: `${provider}/${model}`,
        isCurrent: current !== null && current.model === model && (current.provider === null || current.provider === provider),
        isDefault: reply.default_model === model && (reply.active_provider === null || reply.active_provider === provider),
        badge: reply.configured_model_badges[id] ?? null,
        facts
      }
    }).filter(({ label, model }) => {
      const text = `${label} ${model} ${name} ${provider}`.toLocaleLowerCase()
      return sought.every((word) => text.includes(word))
    })
    return { provider, name, problem: problem ?? null, models: pickable }
  })
  return groups.filter(({ models, problem }) => models.length > 0 || (problem !== null && sought.length === 0))
}
