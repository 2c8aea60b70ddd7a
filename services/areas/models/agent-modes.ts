import { Invalid, NotFound } from '../../ground/errors.js'
import { type SandboxStatus } from '../../agent/index.js'
import {
  agentPlace, agentPresets, agentRefusal, installableAgents, type AgentCommand, type AgentIsolation, type ProviderEntry,
  type RegisteredAgent
} from '../../providers/index.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'

/** Where an agent runs; `reason` says why there is no sandbox, `places` lists addresses that it reaches, separated by commas. */
type IsolationCode =
  'outside' | 'outside_for_lack' | 'no_sandbox' | 'container' | 'offline' | 'whole_network' | 'whole_network_open' | 'internet' | 'places'
interface IsolationReason { code: IsolationCode, params: Record<string, string> }

/** A mode of an external agent. */
interface AgentMode {
  id: string
  label: string
  /** Whether the agent is known to ask in this mode before it acts. */
  asks: boolean
  /** Whether a person has allowed the mode by name, although the agent is not known to ask in it. */
  isAllowed: boolean
}

/** An external agent, and what a person has allowed it to do without asking. */
export interface AgentModesOf {
  id: string
  displayName: string
  /** Whether it is one of those that are known to ask in some of their modes. */
  isKnown: boolean
  /** Whether it was started at least once, and has announced its modes. */
  wasReached: boolean
  /** The version of the protocol that it spoke last; null: unknown. */
  protocol: number | null
  /** Whether any mode is allowed, including none. */
  isAnyAllowed: boolean
  /** The announced modes, then those that are only allowed. */
  modes: AgentMode[]
  /** Where it is set to run, whether it runs isolated, and what that means, in sentences. */
  isolation: AgentIsolation
  isIsolated: boolean
  isolationReason: IsolationReason
  isolationNote: string
  /** Why it cannot take a turn, as a sentence; null when no obstacle is known. */
  problem: string | null
}

export interface AgentModesOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  catalog: Pick<ModelCatalog, 'agents'>
  /** Returns how programs of a profile are confined. */
  sandbox: (profile: string) => Promise<SandboxStatus>
  /** Whether the service needs no sign-in. */
  isOpen: () => boolean
  /** Where programs are searched. */
  path?: string | undefined
}

/**
 * Manages `allow_unasked_modes` and `isolation` of agents in a profile's config.yaml: what each may do without asking, and where it runs.
 */
export class AgentModes {
  constructor (private readonly options: AgentModesOptions) {}

  /** Throws NotFound for an unknown profile. */
  async list (profile: string): Promise<AgentModesOf[]> {
    const { catalog, sandbox, isOpen } = this.options
    const [entries, status] = await Promise.all([catalog.agents(profile), sandbox(profile)])
    return entries.map((entry) => modesOf(entry, status, isOpen()))
  }

  /** Returns agents of the public registry that are neither set up in a profile nor installed. Throws NotFound for an unknown profile. */
  async installable (profile: string): Promise<RegisteredAgent[]> {
    const { catalog, path } = this.options
    const known = (await catalog.agents(profile)).flatMap(({ id, agent }) => agent === undefined ? [] : [{ ...agent, id }])
    return installableAgents(known, path)
  }

  /** Sets where an agent runs from its next turn on. Throws NotFound for an unknown agent or profile, Conflict for a broken file. */
  async isolate (profile: string, id: string, isolation: AgentIsolation): Promise<AgentModesOf> {
    const { profiles } = this.options
    await this.#find(profile, id)
    const place = [...agentPlace(profiles.settings(profile).config, id), 'isolation'] as const
    await profiles.configure(profile, (config) => {
      if (isolation === 'auto') config.delete(place)
      else config.set(place, isolation)
    })
    return await this.#find(profile, id)
  }

  /**
   * Replaces the allowed modes from the agent's next turn on. Only modes that were shown can be allowed: those that the agent has
   * announced, or that were allowed before. Throws NotFound for an unknown agent or profile, Invalid, Conflict when the file is broken.
   *
   * @param allowed true: any mode, including none
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

function modesOf ({ id, displayName, agent }: ProviderEntry, status: SandboxStatus, isOpen: boolean): AgentModesOf {
  if (agent === undefined) throw new Error(`${id} is no agent`)
  const { preset, unaskedModes, modes, wasReached, speaks, problem, isolation } = agent
  const confined = isolationOf(agent, status, isOpen)
  const known: readonly string[] = preset === null ? [] : agentPresets[preset]?.askingModes ?? []
  const allowed = unaskedModes === true ? [] : unaskedModes
  const untold = allowed.filter((mode) => !modes.some(({ id: told }) => told === mode)).map((mode) => ({ id: mode, label: mode }))
  return {
    id,
    displayName,
    isKnown: preset !== null,
    wasReached,
    protocol: speaks ?? null,
    isAnyAllowed: unaskedModes === true,
    modes: [...modes, ...untold].map((mode) => ({
      id: mode.id, label: mode.label, asks: known.includes(mode.id), isAllowed: allowed.includes(mode.id) && !known.includes(mode.id)
    })),
    isolation,
    isIsolated: isolation !== 'none' && status.available,
    isolationReason: confined.reason,
    isolationNote: confined.note,
    problem: problem ?? (isolation === 'sandbox' && !status.available ? `${displayName}: ${confined.note}` : null) ??
      agentRefusal({ preset, unaskedModes, displayName })
  }
}

/** Describes where an agent runs: as a code with parameters, and in sentences. */
function isolationOf (
  { isolation, network }: Pick<AgentCommand, 'isolation' | 'network'>, status: SandboxStatus, isOpen: boolean
): { reason: IsolationReason, note: string } {
  if (isolation === 'none') return told('outside', {}, 'It runs outside the sandbox, with the rights of the user that runs this service.')
  if (!status.available) {
    const { reason } = status
    return isolation === 'sandbox'
      ? told('no_sandbox', { reason }, `It is set to run in the sandbox only, and there is none: ${reason}.`)
      : told('outside_for_lack', { reason }, `It runs outside the sandbox, with the rights of the user that runs this service: ${reason}.`)
  }
  const seen = 'It can write only in the folder of its chat and in its own folders. The rest of the home folder is hidden.'
  if (status.kind === 'container') {
    return told('container', {}, `It runs within the limits of the container and has its network. ${seen}`)
  }
  if (network === 'none') return told('offline', {}, `It runs in the sandbox, without network. ${seen}`)
  if (network === 'all') {
    const note = `It runs in the sandbox and has the network of this machine, with all that listens there. ${seen}`
    return isOpen
      ? told('whole_network_open', {}, `${note} This service needs no sign-in, so the agent could use it: set a password.`)
      : told('whole_network', {}, note)
  }
  const places = network.places.join(', ')
  const setUp = `${places === '' ? '' : `${places}, `}the addresses in its variables and its MCP servers`
  return network.isPublic
    ? told(
      'internet', { places },
      `It runs in the sandbox. It reaches the internet, but nothing on this machine or in private networks except ${setUp}. ${seen}`
    )
    : told('places', { places }, `It runs in the sandbox. It reaches only ${setUp}. ${seen}`)
}

const told = (code: IsolationCode, params: Record<string, string>, note: string): { reason: IsolationReason, note: string } =>
  ({ reason: { code, params }, note })
