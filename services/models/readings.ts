import { createLocalProbe, resolveProviders, type LocalServer } from '../providers/index.js'
import { type Clock } from '../ground/clock.js'
import { type Profiles, type ProfileSettings } from '../profiles/index.js'
import { type ModelLists } from './lists.js'
import { ProfileModels } from './profile-models.js'
import { readSelection } from './selection.js'

export interface ModelReadingsOptions {
  profiles: Pick<Profiles, 'settings'>
  clock: Clock
  lists: ModelLists
  /** Whether to look for model servers on this machine. */
  probeLocal: boolean
  fetch: typeof globalThis.fetch
  /** Which local servers to look for; all by default. */
  probeServers?: string[] | undefined
}

/** What a profile's files said and which servers of this machine answered, and what follows from it. */
interface Reading { settings: ProfileSettings, local: readonly LocalServer[], changes: number, models: ProfileModels }

const mostReadings = 256

/** What profiles can use, read again only when something of it has changed. */
export class ModelReadings {
  readonly #options: ModelReadingsOptions
  readonly #probe: ReturnType<typeof createLocalProbe>
  readonly #readings = new Map<string, Reading>()

  constructor (options: ModelReadingsOptions) {
    const { probeLocal, clock, fetch, probeServers } = options
    this.#options = options
    this.#probe = createLocalProbe({ enabled: probeLocal, clock, fetch, ...(probeServers !== undefined && { servers: probeServers }) })
  }

  /** The same object as long as nothing has changed. Throws NotFound for an unknown profile. */
  async read (profile: string): Promise<ProfileModels> {
    const { profiles, lists } = this.#options
    const settings = profiles.settings(profile)
    const local = await this.#probe(settings.env['OLLAMA_HOST'])
    const { changes } = lists
    const before = this.#readings.get(profile)
    if (before?.settings === settings && before.local === local && before.changes === changes) return before.models
    const { env, envFileKeys, config } = settings
    const models = new ProfileModels({ profile, selection: readSelection(config), config, entries: resolveProviders({ env, envFileKeys, config, local }), lists })
    this.#readings.delete(profile)
    this.#readings.set(profile, { settings, local, changes, models })
    if (this.#readings.size > mostReadings) this.#readings.delete(this.#readings.keys().next().value as string)
    return models
  }
}
