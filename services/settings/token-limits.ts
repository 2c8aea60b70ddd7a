import { Invalid } from '../ground/errors.js'
import { outputLimits } from '../models/index.js'

/** How long an answer may become, as a profile's config.yaml says it, in the words of the interface. */
export function tokenLimits (config: Record<string, unknown>): { max_tokens: number | null, max_tokens_fallback: number | null, max_tokens_effective: number | null } {
  const { root, fallback, effective } = outputLimits(config)
  return { max_tokens: root, max_tokens_fallback: fallback, max_tokens_effective: effective }
}

/** The `max_tokens` of a change of settings, null: it is to go; undefined when the change says nothing of it. Throws Invalid for a value that cannot be. */
export function tokenLimitChange (changes: Record<string, unknown>): number | null | undefined {
  return Object.hasOwn(changes, 'max_tokens') ? parseTokenLimit(changes['max_tokens']) : undefined
}

/** What a client means by `max_tokens`: null or an empty text takes it away. Throws Invalid. */
function parseTokenLimit (value: unknown): number | null {
  if (value === null || value === '') return null
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > 100_000_000) throw new Invalid('max_tokens: a whole number above 0, or empty')
  return number
}
