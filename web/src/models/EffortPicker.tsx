import { Brain, ChevronDown } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { Segmented } from '../ui/Segmented.js'
import { words } from '../words/index.js'
import { useResource } from '../ui/Loaded.js'
import { type ModelChoice } from './catalog.js'
import { effortOf, effortsOf, setEffort } from './effort.js'

/** Returns the available efforts, and the one in use; empty: the default. */
function useEfforts (choice: ModelChoice | null): { efforts: readonly string[], used: string } {
  const state = effortOf(choice)
  useResource(state)
  return { efforts: effortsOf(state), used: state.value.value?.reasoning_effort ?? '' }
}

/** Sets the reasoning effort for all chats of the profile. Shows nothing for a model without the setting. */
export function EffortPicker ({ choice }: { choice: ModelChoice | null }) {
  const { efforts, used } = useEfforts(choice)
  if (efforts.length === 0) return null
  const w = words.value.bar
  return (
    <Menu
      label={w.effortTitle} icon={Brain} after={ChevronDown} size='small' class='effort'
      items={efforts.map((effort) => ({
        text: w.effort(effort), checked: effort === used, onPick: () => { void setEffort(choice, effort) }
      }))}
    >{w.effort(used)}
    </Menu>
  )
}

/** Sets the reasoning effort with all choices visible, below a list of models. */
export function EffortRow ({ choice }: { choice: ModelChoice | null }) {
  const { efforts, used } = useEfforts(choice)
  if (efforts.length === 0) return null
  const w = words.value.bar
  return (
    <div class='effort-row'>
      <span class='effort-name' aria-hidden>{w.effortTitle}</span>
      <Segmented
        label={w.effortTitle} choices={efforts.map((effort) => ({ key: effort, text: w.effortBrief(effort) }))}
        chosen={used} onChoose={(effort) => { void setEffort(choice, effort) }}
      />
    </div>
  )
}
