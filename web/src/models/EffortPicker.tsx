import { useMemo } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { Brain, ChevronDown } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { toast } from '../ui/Toast.js'
import { words } from '../words/index.js'
import { useResource } from '../settings/Loaded.js'
import { type ModelChoice } from './catalog.js'

/** Sets the reasoning effort for all chats of the profile. Draws nothing for a model without the setting. */
export function EffortPicker ({ choice }: { choice: ModelChoice | null }) {
  const model = choice?.model ?? ''
  const provider = choice?.provider ?? ''
  const state = useMemo(
    () => createResource(async () => await api.get('/api/reasoning', {
      ...(model !== '' && { model }), ...(provider !== '' && { provider })
    })),
    [model, provider]
  )
  useResource(state)
  const known = state.value.value
  if (known === undefined || !known.supports_reasoning_effort) return null
  const w = words.value.bar
  const set = async (effort: string, undo?: string): Promise<void> => {
    const done = await attempt(async () => state.set(
      await api.post('/api/reasoning', { effort, ...(model !== '' && { model }), ...(provider !== '' && { provider }) })
    ))
    if (done && undo !== undefined) {
      toast(w.effortSet(w.effort(effort)), { about: 'effort', action: { text: words.value.common.undo, onPick: () => { void set(undo) } } })
    }
  }
  const used = known.reasoning_effort
  const efforts = ['', ...known.supported_efforts.filter((effort) => effort !== 'none' || known.supports_thinking_toggle)]
  return (
    <Menu
      label={w.effortTitle} icon={Brain} after={ChevronDown} size='small' class={used === '' ? 'effort effort-usual' : 'effort'}
      items={efforts.map((effort) => ({
        text: w.effort(effort), checked: effort === used, onPick: () => { if (effort !== used) void set(effort, used) }
      }))}
    >{w.effort(used)}
    </Menu>
  )
}
