import { isDeepStrictEqual } from 'node:util'
import { Conflict } from '../ground/errors.js'

/** Keys that clients of this interface know and that nothing here acts on yet. */
const unbuilt = new Set([
  'show_webhook_sessions', 'show_kanban_sessions', 'show_previous_messaging_sessions', 'ignore_agent_updates', 'whats_new_summary_enabled',
  'sync_to_insights', 'auto_title_refresh_every', 'dashboard_plugins', 'provider_cost_budget'
])

/** Where a person sets what is not set here. */
const elsewhere: Record<string, string> = {
  default_model: 'POST /api/default-model',
  default_model_provider: 'POST /api/default-model'
}

/**
 * Throws Conflict for changes that would be answered as if they had been made: settings that clients know and nothing acts
 * on, and those of `pinned`, with what sets them. What repeats the value that is `shown` asks for nothing.
 */
export function refuseUnbuilt (changes: Record<string, unknown>, shown: Record<string, unknown>, pinned: Readonly<Record<string, string>> = {}): void {
  const places: Record<string, string> = { ...elsewhere, ...pinned }
  const refused = Object.entries(changes).filter(([key, value]) => (unbuilt.has(key) || Object.hasOwn(places, key)) && !(Object.hasOwn(shown, key) && isDeepStrictEqual(value, shown[key]))).map(([key]) => key)
  if (refused.length === 0) return
  const hints = refused.flatMap((key) => Object.hasOwn(places, key) ? [`${key} is set in ${places[key]}`] : [])
  throw new Conflict([`These settings cannot be changed here yet: ${refused.join(', ')}`, ...hints].join('; '), 'not_supported', { keys: refused })
}
