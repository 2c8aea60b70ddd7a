import { offersVersion, readOffer } from '../../agent/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import {
  agentProblem, createLocalProbe, foundAgents, inMode, mayWorkIn, ownModel, resolveProviders, type ConfiguredAgent, type LocalServer,
  type ProviderEntry
} from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/clock.js'
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
  /** Where programs are looked for. */
  path?: string | undefined
}

/** What a profile's files said and which servers of this machine answered, and what follows from it. */
interface Reading { settings: ProfileSettings, local: readonly LocalServer[], changes: number, agents: string, models: ProfileModels }

const mostReadings = 256
const installedMs = 15_000

/** What profiles can use, read again only when something of it has changed. */
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

  /** The same object as long as nothing has changed. Throws NotFound for an unknown profile. */
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

  /** Looked for again after a while: somebody may have installed one. */
  #foundAgents (config: Readonly<Record<string, unknown>>): ConfiguredAgent[] {
    const nowMs = monotonicMs(this.#options.clock)
    if (this.#installed === null || nowMs - this.#installed.atMs > installedMs) {
      this.#installed = { atMs: nowMs, agents: foundAgents({}, this.#options.path) }
    }
    const { agents } = this.#installed
    return config['agents'] === undefined ? agents : foundAgents(config, this.#options.path)
  }

  /** With what the agent has told of itself when it was reached last. */
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
