import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { type ModelChoice } from './catalog.js'

const named = (choice: ModelChoice | null) => ({
  ...(choice === null || choice.model === '' ? {} : { model: choice.model }),
  ...(choice?.provider == null || choice.provider === '' ? {} : { provider: choice.provider })
})

const create = (choice: ModelChoice | null) => createResource(async () => await api.get('/api/reasoning', named(choice)))
type EffortState = ReturnType<typeof create>

const known = new Map<string, EffortState>()

/** Returns the reasoning effort of a model; null: of the default model. All views share one resource per model. */
export function effortOf (choice: ModelChoice | null): EffortState {
  const key = JSON.stringify(named(choice))
  const state = known.get(key) ?? create(choice)
  known.set(key, state)
  return state
}

/** Returns the available efforts, the default first; none for a model without the setting, or until it is known. */
export function effortsOf (state: EffortState): string[] {
  const { value } = state.value
  return value === undefined || !value.supports_reasoning_effort
    ? []
    : ['', ...value.supported_efforts.filter((effort) => effort !== 'none' || value.supports_thinking_toggle)]
}

/** Sets the effort for all chats of the profile, and offers to undo it. */
export async function setEffort (choice: ModelChoice | null, effort: string): Promise<void> {
  const state = effortOf(choice)
  const before = state.value.peek()?.reasoning_effort
  if (before === effort) return
  const set = (one: string): Promise<boolean> =>
    attempt(async () => state.set(await api.post('/api/reasoning', { effort: one, ...named(choice) })))
  const w = words.peek().bar
  if (await set(effort) && before !== undefined) {
    toast(w.effortSet(w.effort(effort)), {
      about: 'effort', action: { text: words.peek().common.undo, onPick: () => { void set(before) } }
    })
  }
}
