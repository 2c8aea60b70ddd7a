import { offersVersion, readOffer } from '../../agent/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import {
  agentProblem, createLocalProbe, foundAgents, inMode, mayWorkIn, ownModel, resolveProviders, type ConfiguredAgent, type LocalServer,
  type ProviderEntry
} from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { type Profiles, type ProfileSettings } from '../profiles/index.js'
import { type ModelLists } from './lists.js'
import { ProfileModels } from './profile-models.js'
import { readSelection } from './configured-models.js'

export interface ModelReadingsOptions {
  profiles: Pick<Profiles, 'settings'>
  clock: Clock
  lists: ModelLists
  /** Whether to look for model servers on this machine. */
  probeLocal: boolean
  fetch: typeof globalThis.fetch
  /** Which local servers to look for; default: all. */
  probeServers?: string[] | undefined
  /** Where programs are searched. */
  path?: string | undefined
}

/** What a profile's files contained and which servers of this machine answered, with the resulting models. */
interface Reading { settings: ProfileSettings, local: readonly LocalServer[], changes: number, agents: string, models: ProfileModels }

const mostReadings = 256
const installedMs = 15_000

/** Caches what profiles can use, until the files, servers, agents or lists change. */
export class ModelReadings {
  readonly #options: ModelReadingsOptions
  readonly #probe: ReturnType<typeof createLocalProbe>
  readonly #readings = new Map<string, Reading>()
  #installed: { atMs: number, agents: ConfiguredAgent[] } | null = null

  constructor (options: ModelReadingsOptions) {
    const { probeLocal, clock, fetch, probeServers } = options
    this.#options = options
    this.#probe = createLocalProbe({ enabled: probeLocal, clock, fetch, ...(probeServers !== undefined && { servers: probeServers }) })
  }

  /** Returns the same object while nothing has changed. Throws NotFound for an unknown profile. */
  async read (profile: string): Promise<ProfileModels> {
    const { profiles, lists } = this.#options
    const settings = profiles.settings(profile)
    const local = await this.#probe(settings.env['OLLAMA_HOST'])
    const { changes } = lists
    const before = this.#readings.get(profile)
    const { env, envFileKeys, config, home } = settings
    const found = this.#options.probeLocal ? this.#foundAgents(config) : []
    const agents = `${offersVersion(home)} ${found.map(({ command }) => command[0]).join(' ')}`
    if (before?.settings === settings && before.local === local && before.changes === changes && before.agents === agents) {
      return before.models
    }
    const entries = resolveProviders({ env, envFileKeys, config, local, agents: found, path: this.#options.path }).map((entry) =>
      entry.agent === undefined ? entry : this.#offered(home, entry, entry.agent))
    const models = new ProfileModels({ profile, selection: readSelection(config), config, entries, lists })
    this.#readings.delete(profile)
    this.#readings.set(profile, { settings, local, changes, agents, models })
    keepNewest(this.#readings, mostReadings)
    return models
  }

  /** Searched again after a while, because an agent may have been installed. */
  #foundAgents (config: Readonly<Record<string, unknown>>): ConfiguredAgent[] {
    const nowMs = monotonicMs(this.#options.clock)
    if (this.#installed === null || nowMs - this.#installed.atMs > installedMs) {
      this.#installed = { atMs: nowMs, agents: foundAgents({}, this.#options.path) }
    }
    const { agents } = this.#installed
    return config['agents'] === undefined ? agents : foundAgents(config, this.#options.path)
  }

  /** Adds what the agent announced when it was last reached. */
  #offered (home: string, entry: ProviderEntry, agent: NonNullable<ProviderEntry['agent']>): ProviderEntry {
    const offer = readOffer(home, entry.id, agent)
    const own = { id: ownModel, label: entry.displayName }
    const modes = (offer?.modes ?? []).filter(({ id }) => id !== offer?.mode && mayWorkIn(agent, id)).map(({
      id, label
    }) => ({ id: inMode(id), label: `${entry.displayName} (${label})` }))
    const models = [own, ...(offer?.models ?? []).filter(({ id }) => id !== ownModel), ...modes]
    return {
      ...entry, agent: {
        ...agent, models, modes: offer?.modes ?? [], wasReached: offer !== null,
        ...(offer?.protocol !== undefined && { speaks: offer.protocol }),
        efforts: offer?.efforts ?? [],
        seesImages: offer?.seesImages ?? true, commands: offer?.commands ?? [],
        problem: agentProblem({ ...agent, displayName: entry.displayName }, this.#options.path)
      }
    }
  }
}
