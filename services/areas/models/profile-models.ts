import { canonicalProviderId, describeModel, staticModels, type ModelInfo, type ProviderEntry } from '../../providers/index.js'
import { type ModelLists } from './lists.js'
import { type Config, type ModelSelection } from './configured-models.js'

export interface ProfileModelsOptions {
  profile: string
  selection: ModelSelection
  /** The whole of config.yaml. */
  config: Config
  /** In the order of {@link resolveProviders}. */
  entries: ProviderEntry[]
  lists: ModelLists
}

/**
 * What a profile can use, as read from its files and the servers of this machine: its providers, the active one first, and which of them
 * has a model. All answers of one such snapshot are consistent, whatever changes meanwhile.
 */
export class ProfileModels {
  readonly entries: readonly ProviderEntry[]

  constructor (readonly options: ProfileModelsOptions) {
    const active = this.#activeOf(options.entries)
    this.entries = active === undefined ? options.entries : [active, ...options.entries.filter((entry) => entry !== active)]
  }

  get selection (): ModelSelection {
    return this.options.selection
  }

  get active (): ProviderEntry | undefined {
    return this.entries[0]
  }

  /** Returns the provider with this id, or with a common name for it. */
  find (name: string): ProviderEntry | undefined {
    return findProvider(this.entries, name)
  }

  /** Returns the provider of a bare model id: the active one, unless only another one is known to have it. */
  homeOf (modelId: string): ProviderEntry | undefined {
    return this.#homeAmong(this.entries, modelId)
  }

  /** Returns what is known of a provider's models without sending a request. */
  known (entry: ProviderEntry): ModelInfo[] {
    return this.options.lists.known(this.options.profile, entry.id) ?? staticModels(entry)
  }

  /** Returns the facts about a model, even an unknown one. */
  describe (entry: ProviderEntry, modelId: string): ModelInfo {
    const listed = this.options.lists.known(this.options.profile, entry.id)?.find(({ id }) => id === modelId)
    return this.withConfiguredWindow(listed ?? describeModel(entry, modelId))
  }

  withConfiguredWindow (model: ModelInfo): ModelInfo {
    const { window } = this.selection
    return window !== null && (window.of === null || window.of === model.id) ? { ...model, contextLength: window.tokens } : model
  }

  /** Returns the provider of `model.default`, unless config.yaml names a provider: then that one comes first already. */
  #activeOf (all: readonly ProviderEntry[]): ProviderEntry | undefined {
    const { id, provider, namesProvider } = this.selection
    if (provider !== undefined) return findProvider(all, provider)
    return namesProvider || id === undefined ? all[0] : this.#homeAmong(all, id)
  }

  #homeAmong (all: readonly ProviderEntry[], modelId: string): ProviderEntry | undefined {
    const [first] = all
    if (first === undefined || modelId === '') return first
    const has = (entry: ProviderEntry): boolean => this.known(entry).some(({ id }) => id === modelId)
    return this.known(first).length === 0 || has(first) ? first : all.find(has) ?? first
  }
}

function findProvider (all: readonly ProviderEntry[], name: string): ProviderEntry | undefined {
  const canonical = canonicalProviderId(name)
  return all.find(({ id }) => id === name) ?? all.find(({ id }) => id === canonical)
}
