import { useEffect, useState } from 'preact/hooks'
import { SelectField, Switch, TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { parseTyped, type Setting } from './fields.js'
import { saveSetting } from './store.js'

/** One setting; what is changed is saved at once. `pinned` says why it cannot be changed here. */
export function SettingView ({ setting, value, pinned = null }: { setting: Setting, value: unknown, pinned?: string | null }) {
  const w = screenWords.value.settings
  const [label, note] = w.keys[setting.key] ?? [w.unnamed(setting.key), '']
  const hint = [note, pinned].filter(Boolean).join(' ')
  const shown = { label, ...(hint !== '' && { hint }), disabled: pinned !== null }
  if (setting.kind === 'switch') return <Switch {...shown} checked={value === true} onChecked={(isOn) => { void saveSetting(setting.key, isOn, label) }} />
  if (setting.kind === 'choice') {
    const known = setting.choices ?? []
    const all = typeof value === 'string' && !known.includes(value) ? [...known, value] : known
    return <SelectField {...shown} value={String(value)} choices={all.map((key) => ({ key, text: w.choice(key) }))} onValue={(chosen) => { void saveSetting(setting.key, chosen, label) }} />
  }
  return <TypedSetting setting={setting} text={Array.isArray(value) ? value.join(', ') : value === null || value === undefined ? '' : String(value)} shown={shown} />
}

function TypedSetting ({ setting, text, shown }: { setting: Setting, text: string, shown: { label: string, hint?: string, disabled: boolean } }) {
  const [typed, setTyped] = useState(text)
  const [problem, setProblem] = useState<string | null>(null)
  // Changed elsewhere, or not taken: what is in force is shown.
  useEffect(() => setTyped(text), [text])
  const save = async (): Promise<void> => {
    if (typed.trim() === text) return
    const parsed = parseTyped(setting, typed)
    if ('wrong' in parsed) return setProblem(screenWords.value.settings.needsNumber(setting.min ?? 0, setting.max ?? 0))
    if (!await saveSetting(setting.key, parsed.value, shown.label)) setTyped(text)
  }
  return (
    <TextField
      {...shown} value={typed} error={problem} inputMode={setting.kind === 'number' ? 'decimal' : 'text'}
      onValue={(value) => { setTyped(value); setProblem(null) }} onBlur={() => { void save() }} onKeyDown={(event) => { if (event.key === 'Enter' && !event.isComposing) void save() }}
    />
  )
}
