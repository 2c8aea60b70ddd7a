import { type SharedV4Warning } from '@ai-sdk/provider'
import { type ModelFailure } from '../../providers/index.js'
import { type SamplingOptions } from '../protocol.js'

/** The values that change nothing. */
const neutral: SamplingOptions = { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0 }

/** Thrown when a provider's client has left out or changed an option that the program asked for. */
export class OptionUnsupported extends Error {
  constructor (readonly option: string) { super(`The model does not support ${option}`) }
}

/** Throws OptionUnsupported if, by the warnings of the provider's client, an option does not have the effect that was asked for. */
export function assertSupported (asked: SamplingOptions, warnings: readonly SharedV4Warning[]): void {
  const refused = warnings.flatMap((warning) => warning.type === 'unsupported' ? [warning.feature] : [])
  const values = new Map(Object.entries(neutral))
  const lost = Object.entries(asked).find(([name, value]) => refused.includes(name) && value !== values.get(name))
  if (lost !== undefined) throw new OptionUnsupported(lost[0])
}

export function unsupportedOption ({ option }: OptionUnsupported, providerName: string): Omit<ModelFailure, 'type' | 'limit'> & { type: string } {
  const name = option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return {
    type: 'unsupported', message: `This model of ${providerName} does not take this value of ${name}.`,
    hint: `Leave ${name} out, or choose another model.`, retryable: false, contextOverflow: false
  }
}
