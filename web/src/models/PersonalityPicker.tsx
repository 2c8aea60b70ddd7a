import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { ChevronDown, Drama } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { toast } from '../ui/Toast.js'
import { words } from '../words/index.js'
import { useResource } from '../settings/Loaded.js'
import { personalities } from './store.js'

/** Chooses the personality in one chat. Draws nothing without personalities, which are in config.yaml. */
export function PersonalityPicker ({ sessionId, current, onSet }: {
  sessionId: string
  current: string | null
  onSet?: (name: string | null) => void
}) {
  useResource(personalities)
  const known = personalities.value.value ?? []
  if (known.length === 0) return null
  const w = words.value.bar
  const set = async (name: string, undo?: string): Promise<void> => {
    const done = await attempt(async () => onSet?.((await api.post('/api/personality/set', { session_id: sessionId, name })).personality))
    if (done && undo !== undefined) {
      toast(w.personalitySet(name === '' ? w.noPersonality : name), {
        about: 'personality', action: { text: words.value.common.undo, onPick: () => { void set(undo) } }
      })
    }
  }
  const used = current ?? ''
  return (
    <Menu
      label={w.personality} icon={Drama} after={ChevronDown} size='small'
      items={[{ name: '', description: '' }, ...known].map(({ name, description }) => ({
        text: name === '' ? w.noPersonality : name, ...(description !== '' &&
          { note: description }), checked: name === used, onPick: () => {
          if (name !== used) void set(name, used)
        }
      }))}
    >{used === '' ? w.noPersonality : used}
    </Menu>
  )
}
