import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { attempt } from '../ui/attempt.js'
import { FolderField, LazyFolderChooser } from '../side/FolderField.js'
import { SelectField, Switch, TextField, type TextFieldProps } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { parseTyped, type Setting } from './fields.js'
import { saveSetting } from './store.js'

/** Edits one setting; a change is saved at once. */
export function SettingView ({ setting, value }: { setting: Setting, value: unknown }) {
  const w = screenWords.value.settings
  const [label, note] = w.keys[setting.key] ?? [w.unnamed(setting.key), '']
  const shown = { label, ...(note !== '' && { hint: note }) }
  const choose = (chosen: unknown): void => { void attempt(async () => await saveSetting(setting.key, chosen, label)) }
  if (setting.kind === 'switch') return <Switch {...shown} checked={value === true} onChecked={choose} />
  if (setting.kind === 'choice') {
    const known = setting.choices ?? []
    const all = typeof value === 'string' && !known.includes(value) ? [...known, value] : known
    return <SelectField {...shown} value={String(value)} choices={all.map((key) => ({ key, text: w.choice(key) }))} onValue={choose} />
  }
  return (
    <TypedSetting
      setting={setting}
      text={Array.isArray(value) ? value.join(', ') : value === null || value === undefined ? '' : String(value)}
      shown={shown} onChosen={choose}
    />
  )
}

function TypedSetting ({ setting, text, shown, onChosen }: {
  setting: Setting
  text: string
  shown: { label: string, hint?: string }
  onChosen: (chosen: unknown) => void
}) {
  /** The typed value while it differs from the one in force; a refused value stays, to be corrected. */
  const [typed, setTyped] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const isSaving = useRef(false)
  const [isChoosing, setChoosing] = useState(false)
  const save = async (): Promise<void> => {
    // Enter saves, and then the field loses the focus.
    if (isSaving.current) return
    if (typed === null || typed.trim() === text) return give(null, null)
    const parsed = parseTyped(setting, typed)
    if ('wrong' in parsed) return setProblem(screenWords.value.settings.needsNumber(setting.min ?? 0, setting.max ?? 0))
    isSaving.current = true
    try {
      await saveSetting(setting.key, parsed.value, shown.label)
      give(null, null)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setProblem(error.message)
    } finally {
      isSaving.current = false
    }
  }
  function give (next: string | null, wrong: string | null): void {
    setTyped(next)
    setProblem(wrong)
  }
  const field: TextFieldProps = {
    ...shown,
    value: typed ?? text,
    error: problem,
    inputMode: setting.kind === 'number' ? 'decimal' : 'text',
    onValue: (value) => give(value, null),
    onBlur: () => { void save() },
    onKeyDown: (event) => { if (event.key === 'Enter' && !event.isComposing) void save() }
  }
  if (setting.kind !== 'folder') return <TextField {...field} />
  return (
    <>
      <FolderField {...field} onChoose={() => setChoosing(true)} />
      {isChoosing
        ? <LazyFolderChooser
            title={shown.label} current={text}
            onClose={() => setChoosing(false)}
            onChosen={({ path }) => onChosen(path)}
          />
        : null}
    </>
  )
}
