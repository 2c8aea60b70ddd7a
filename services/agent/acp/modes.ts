import { agentPresets, mayWorkIn, type ConfiguredAgent } from '../../providers/index.js'
import { agentFailure, type AgentFailure } from './failure.js'
import { type Choosable } from './offer.js'

/** Names of modes in which an unknown agent only reads. A person must also have allowed them. */
const readingNames = ['read-only', 'plan']

/** What a turn is for: everything, a plan, or an answer for which it only reads. */
export type Purpose = 'all' | 'planning' | 'reading'

/** Returns whether an agent may work in a mode during a turn. Plans are made in a mode in which it only reads, if it has one. */
export function modeRule (agent: ConfiguredAgent, purpose: Purpose, offered: Choosable | null): (mode: string) => boolean {
  const reads = readingRule(agent)
  return purpose === 'reading' || (purpose === 'planning' && offered?.values.some(({ id }) => reads(id)) === true)
    ? reads
    : (mode) => mayWorkIn(agent, mode)
}

function readingRule (agent: ConfiguredAgent): (mode: string) => boolean {
  const reading = agent.preset === null ? readingNames : agentPresets[agent.preset]?.readingModes ?? []
  return (mode) => mayWorkIn(agent, mode) && reading.includes(mode)
}

/**
 * Returns the mode in which a turn begins; null if the agent has none and a person has allowed that. Throws AgentFailure if there is no
 * mode in which it is known to ask.
 *
 * @param wanted the mode that the user chose
 * @param own the agent's own setting
 */
export function turnMode (
  agent: ConfiguredAgent, purpose: Purpose, wanted: string | null, own: string | null, modes: Choosable | null
): string | null {
  const mayWork = modeRule(agent, purpose, modes)
  const offered = modes?.values.map(({ id }) => id) ?? []
  if (purpose === 'planning') {
    const reading = offered.find(readingRule(agent))
    if (reading !== undefined) return reading
  }
  if (purpose === 'reading') {
    const reading = offered.find(mayWork)
    if (reading === undefined) {
      throw agentFailure(
        'error', `${agent.displayName} has no way of working in which it only reads, so it cannot be asked on the side.`,
        'Choose a model for that.'
      )
    }
    return reading
  }
  if (wanted !== null && !mayWork(wanted)) throw notAllowed(agent, wanted)
  if (wanted === null && agent.unaskedModes === true) return own
  const asking = agent.preset === null ? [] : agentPresets[agent.preset]?.askingModes ?? []
  // Agents list their modes in any order, often the read-only one first: a turn that may do something never begins in that by default.
  const reads = readingRule(agent)
  const others = [...offered.filter((id) => !reads(id)), ...offered]
  const mode = wanted ?? [own, ...asking, ...others].find((id) => id !== null && offered.includes(id) && mayWork(id)) ?? null
  if (mode === null) throw notAllowed(agent, own)
  return mode
}

/** Returns the failure for an agent that works, or would work, in a mode in which it is not known to ask. */
export function notAllowed (agent: Pick<ConfiguredAgent, 'displayName' | 'reason' | 'id'>, mode: string | null): AgentFailure {
  const { displayName, reason, id } = agent
  const place = /^(agents?\S*) in config\.yaml$/.exec(reason)?.[1] ?? `agents.${id}`
  const [what, value] = mode === null
    ? [`${displayName} has no mode in which it is known to ask before it acts.`, 'true']
    : [`${displayName} is not known to ask before it acts in its mode "${mode.slice(0, 100)}".`, `[${mode.slice(0, 100)}]`]
  return agentFailure('mode_not_allowed', what, `Choose another one of its models, or allow it in the settings of the app (Agents), or in config.yaml: allow_unasked_modes: ${value} in ${place}. It may then do anything without asking.`)
}

export const notPassedOn = ({ displayName }: ConfiguredAgent): AgentFailure =>
  agentFailure(
    'mode_not_allowed', `This command changes when ${displayName} asks before it acts, so it is not passed on.`,
    'Choose another one of its models, or say what it may do in the settings of the app (Agents), or in config.yaml: allow_unasked_modes.'
  )
