import { Invalid } from '../../ground/errors.js'
import { outputLimits } from '../models/index.js'
import { type LimitChange } from './limit-saves.js'

/** Returns the length limits of answers in a profile's config.yaml, with the names of the interface. */
export function tokenLimits (config: Record<string, unknown>): {
  max_tokens: number | null
  max_tokens_fallback: number | null
  max_tokens_effective: number | null
} {
  const { root, fallback, effective } = outputLimits(config)
  return { max_tokens: root, max_tokens_fallback: fallback, max_tokens_effective: effective }
}

/** The settings that are stored in config.yaml, each with its path there. */
const kept: Record<string, { path: LimitChange['path'], read: (value: unknown) => number }> = {
  max_tokens: { path: ['max_tokens'], read: tokens },
  provider_cost_budget: { path: ['budgets', 'day', 'soft_usd'], read: dollars }
}

/**
 * Returns the changes to settings that are stored in config.yaml. null or an empty text removes one. Throws Invalid for an impossible
 * value.
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

/** Parses US dollars, rounded to cents. */
function dollars (value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,9}(\.\d{1,20})?$/.test(value.trim()) ? Number(value) : value
  const rounded = typeof number === 'number' ? Math.round(number * 100) / 100 : NaN
  if (!(rounded > 0 && rounded < 1_000_000_000)) {
    throw new Invalid('provider_cost_budget: US dollars, from 0.01 to below a billion, or empty')
  }
  return rounded
}
