import { type Static } from '@sinclair/typebox'
import { type ReasoningReply } from '../../../schemas/models.js'
import { fitEffort, isEffort, type Effort } from '../../providers/index.js'
import { Invalid } from '../../ground/errors.js'
import { table } from '../../ground/lookup-table.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'
import { configuredEffort, section, type WantedModel } from './configured-models.js'

export interface ReasoningState {
  showReasoning: boolean
  /** The effort in use: reduced to what the model supports; the configured one for an unknown model. Null = the model's own. */
  effort: Effort | null
  /** The efforts that the model supports, the lowest first; empty for one that does not reason, or is unknown. */
  supported: Effort[]
  /** Whether reasoning can be switched off. */
  canBeOff: boolean
}

const shown = table({ show: true, on: true, true: true, 1: true, hide: false, off: false, false: false, 0: false })

/**
 * How much a profile's model reasons, and whether that is shown: `agent.reasoning_effort` and `display.show_reasoning` of its config.yaml.
 */
export class Reasoning {
  constructor (readonly options: { profiles: Pick<Profiles, 'settings' | 'configure'>, catalog: Pick<ModelCatalog, 'describe'> }) {}

  /** Returns the state for a model; for the default one if none is named. */
  async state (profile: string, wanted: WantedModel = {}): Promise<ReasoningState> {
    const { config } = this.options.profiles.settings(profile)
    const found = await this.options.catalog.describe(profile, wanted)
    const supported = (found?.model.efforts ?? []).filter((effort): effort is Effort => isEffort(effort))
    const configured = configuredEffort(config)
    return {
      showReasoning: section(config, 'display')['show_reasoning'] !== false,
      effort: configured === undefined ? null : supported.length === 0 ? configured : fitEffort(configured, supported) ?? null,
      supported,
      canBeOff: supported.includes('none')
    }
  }

  /** Throws Invalid for an unknown word. */
  async show (profile: string, display: string): Promise<void> {
    const isShown = shown[display.trim().toLowerCase()]
    if (isShown === undefined) throw new Invalid('display: one of show, hide, on, off, true, false, 1, 0')
    await this.options.profiles.configure(profile, (config) => config.set(['display', 'show_reasoning'], isShown))
  }

  /** An empty effort leaves it to the model. Throws Invalid for an unknown level. */
  async setEffort (profile: string, effort: string): Promise<void> {
    const level = effort.trim().toLowerCase()
    if (level !== '' && !isEffort(level)) throw new Invalid('effort: one of none, minimal, low, medium, high, xhigh, max, or empty')
    await this.options.profiles.configure(profile, (config) => {
      if (level === '') config.delete(['agent', 'reasoning_effort'])
      else config.set(['agent', 'reasoning_effort'], level)
    })
  }
}

/** Returns the state as clients are shown it. */
export function reasoningToWire ({ showReasoning, effort, supported, canBeOff }: ReasoningState): Static<typeof ReasoningReply> {
  return {
    ok: true,
    show_reasoning: showReasoning,
    reasoning_effort: effort ?? '',
    supported_efforts: supported,
    supports_reasoning_effort: supported.length > 0,
    supports_thinking_toggle: canBeOff
  }
}
