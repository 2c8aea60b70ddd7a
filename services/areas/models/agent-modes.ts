import { Invalid, NotFound } from '../../ground/errors.js'
import { agentPlace, agentPresets, agentRefusal, type ProviderEntry } from '../../providers/index.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'

/** A mode of an agent of another maker. */
interface AgentMode {
  id: string
  label: string
  /** The agent is known to ask in it before it acts. */
  asks: boolean
  /** A person has allowed it by name, although the agent is not known to ask in it. */
  isAllowed: boolean
}

/** An agent of another maker, and what a person has allowed it to do without asking. */
export interface AgentModesOf {
  id: string
  displayName: string
  /** It is one of those that are known to ask in some of their modes. */
  isKnown: boolean
  /** It was started at least once, and has told its modes. */
  wasReached: boolean
  /** Any mode is allowed, and none. */
  isAnyAllowed: boolean
  /** Those that it has told, then those that are only allowed. */
  modes: AgentMode[]
  /** Why it takes no turn as it is, as a sentence; null when nothing is known to be in its way. */
  problem: string | null
}

export interface AgentModesOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  catalog: Pick<ModelCatalog, 'agents'>
}

/** `allow_unasked_modes` of agents in a profile's config.yaml: in which modes each may work although it is not known to ask there. */
export class AgentModes {
  constructor (private readonly options: AgentModesOptions) {}

  /** Throws NotFound for an unknown profile. */
  async list (profile: string): Promise<AgentModesOf[]> {
    return (await this.options.catalog.agents(profile)).map(modesOf)
  }

  /**
   * Writes what is allowed in place of what was; it holds from the agent's next turn on. Nobody allows what they were not shown: a mode has
   * to be one that the agent has told, or was allowed before. Throws NotFound for an unknown agent or profile,
   * Invalid, Conflict when the file is broken.
   *
   * @param allowed true: any mode, also none
   */
  async allow (profile: string, id: string, allowed: true | readonly string[]): Promise<AgentModesOf> {
    const { profiles } = this.options
    const { modes } = await this.#find(profile, id)
    const unknown = allowed === true ? undefined : allowed.find((wanted) => !modes.some((mode) => mode.id === wanted))
    if (unknown !== undefined) throw new Invalid(`modes: this agent has no mode "${unknown.slice(0, 100)}"`)
    const value = allowed === true || [...new Set(allowed)].filter((wanted) => modes.some((mode) => mode.id === wanted && !mode.asks))
    const place = [...agentPlace(profiles.settings(profile).config, id), 'allow_unasked_modes'] as const
    await profiles.configure(profile, (config) => {
      if (value === true || value.length > 0) config.set(place, value)
      else config.delete(place)
    })
    return await this.#find(profile, id)
  }

  async #find (profile: string, id: string): Promise<AgentModesOf> {
    const found = (await this.list(profile)).find((agent) => agent.id === id)
    if (found === undefined) throw new NotFound('Agent not found')
    return found
  }
}

function modesOf ({ id, displayName, agent }: ProviderEntry): AgentModesOf {
  if (agent === undefined) throw new Error(`${id} is no agent`)
  const { preset, unaskedModes, modes, wasReached, problem } = agent
  const known: readonly string[] = preset === null ? [] : agentPresets[preset]?.askingModes ?? []
  const allowed = unaskedModes === true ? [] : unaskedModes
  const untold = allowed.filter((mode) => !modes.some(({ id: told }) => told === mode)).map((mode) => ({ id: mode, label: mode }))
  return {
    id,
    displayName,
    isKnown: preset !== null,
    wasReached,
    isAnyAllowed: unaskedModes === true,
    modes: [...modes, ...untold].map((mode) => ({
      id: mode.id, label: mode.label, asks: known.includes(mode.id), isAllowed: allowed.includes(mode.id) && !known.includes(mode.id)
    })),
    problem: problem ?? agentRefusal({ preset, unaskedModes, displayName })
  }
}
