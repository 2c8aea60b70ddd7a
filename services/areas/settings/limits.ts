import { Invalid } from '../../ground/errors.js'
import { outputLimits } from '../models/index.js'
import { type LimitChange } from './limit-saves.js'

/** How long an answer may become, as a profile's config.yaml says it, in the words of the interface. */
export function tokenLimits (config: Record<string, unknown>): {
  max_tokens: number | null
  max_tokens_fallback: number | null
  max_tokens_effective: number | null
} {
  const { root, fallback, effective } = outputLimits(config)
  return { max_tokens: root, max_tokens_fallback: fallback, max_tokens_effective: effective }
}

/** The settings that stand in config.yaml, each with its place there. */
const kept: Record<string, { path: LimitChange['path'], read: (value: unknown) => number }> = {
  max_tokens: { path: ['max_tokens'], read: tokens },
  provider_cost_budget: { path: ['budgets', 'day', 'soft_usd'], read: dollars }
}

/**
 * What a change of settings says of those that stand in config.yaml. Null or an empty text takes one away.
 * Throws Invalid for a value that cannot be.
 */
export function limitChanges (changes: Record<string, unknown>): LimitChange[] {
  return Object.entries(kept).flatMap(([key, { path, read }]): LimitChange[] => {
    if (!Object.hasOwn(changes, key)) return []
    const given = changes[key]
    return [{ path, value: given === null || given === '' ? null : read(given) }]
  })
}

function tokens (value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > 100_000_000) {
    throw new Invalid('max_tokens: a whole number above 0, or empty')
  }
  return number
}

/** US dollars in whole cents. */
function dollars (value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,9}(\.\d{1,20})?$/.test(value.trim()) ? Number(value) : value
  const rounded = typeof number === 'number' ? Math.round(number * 100) / 100 : NaN
  if (!(rounded > 0 && rounded < 1_000_000_000)) {
    throw new Invalid('provider_cost_budget: US dollars, from 0.01 to below a billion, or empty')
  }
  return rounded
}
