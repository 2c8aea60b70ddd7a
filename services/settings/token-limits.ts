/** `max_tokens` of config.yaml at its root, else `agent.max_tokens`. */
export function tokenLimits (config: Record<string, unknown>): { max_tokens: number | null, max_tokens_fallback: number | null, max_tokens_effective: number | null } {
  const root = positiveInteger(config.max_tokens)
  const fallback = positiveInteger((config.agent as Record<string, unknown> | undefined)?.max_tokens)
  return { max_tokens: root, max_tokens_fallback: fallback, max_tokens_effective: root ?? fallback }
}

function positiveInteger (value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null
}
