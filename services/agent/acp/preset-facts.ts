import { agentPresets, type AgentPreset, type ConfiguredAgent } from '../../providers/index.js'

type Facts = Pick<AgentPreset, 'unaskedModes' | 'readingModes'>

/** Of an agent that we do not know, the modes whose names say it. */
const guessed: Facts = { unaskedModes: ['bypassPermissions', 'yolo', 'full-access', 'auto'], readingModes: ['read-only', 'plan'] }

/** What is known of an agent's modes. */
export function presetFacts ({ preset }: Pick<ConfiguredAgent, 'preset'>): Facts {
  return preset === null ? guessed : agentPresets[preset]!
}
