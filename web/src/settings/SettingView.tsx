import { type ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { FolderField, LazyFolderChooser } from '../side/FolderField.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { SelectField, Switch, TextField, type TextFieldProps } from '../ui/Field.js'
import { Marked } from '../ui/Marked.js'
import { Segmented } from '../ui/Segmented.js'
import { screenWords } from '../words/index.js'
import { addressOf, isBrief } from './place.js'
import { shownChoice } from './say.js'
import { placeOf } from './search.js'
import { saveSetting, valueOf } from './store.js'
import { parseTyped, shownText, type Setting } from './table.js'

interface Shown { label: ComponentChildren, hint?: ComponentChildren, class: string }

interface EditorProps {
  setting: Setting
  shown: Shown
  /** Its label without search marks. */
  name: string
  /** The current value, as shown. */
  value: string
  onChosen: (chosen: unknown) => void
}

/**
 * Edits one setting; a change is saved at once. `sought`: the words of the search that found it, which are marked; its page is named too.
 */
export function SettingView ({ setting, sought }: { setting: Setting, sought?: string }) {
  const w = screenWords.value.settings
  const [label = setting.key, note = ''] = w.keys[setting.key] ?? []
  const value = valueOf(setting)
  const text = (of: string): ComponentChildren => sought === undefined ? of : <Marked text={of} sought={sought} />
  const shown: Shown = {
    label: sought === undefined ? label : <>{text(label)} <span class='setting-place'>{placeOf(setting.page)}</span></>,
    ...(note !== '' && { hint: text(note) }),
    class: 'setting'
  }
  const choose = (chosen: unknown): void => { void attempt(async () => await saveSetting(setting, chosen)) }
  switch (setting.kind) {
    case 'part': return <PartLink setting={setting} shown={shown} name={label} />
    case 'switch': return <Switch {...shown} checked={value === true} onChecked={choose} />
    case 'choice': return <Choice setting={setting} shown={shown} name={label} value={String(value)} onChosen={choose} />
    default: return <TypedSetting setting={setting} shown={shown} name={label} value={shownText(setting, value)} onChosen={choose} />
  }
}

/** A part of a page, shown elsewhere: its name, and a link to it. */
function PartLink ({ setting, shown: { label, hint }, name }: { setting: Setting, shown: Shown, name: string }) {
  const { open } = screenWords.value.settings
  return (
    <div class='setting'>
      <p class='field-label'>{label}</p>
      {hint === undefined ? null : <p class='field-hint'>{hint}</p>}
      <Link class='button button-plain' href={addressOf(setting)} aria-label={`${open}: ${name}`}>{open}</Link>
    </div>
  )
}

function Choice ({ setting, shown, name, value, onChosen }: EditorProps) {
  const known = setting.choices ?? []
  const choices = (known.includes(value) ? known : [...known, value]).map((key) => ({ key, text: shownChoice(setting, key) }))
  if (!isBrief(choices)) return <SelectField {...shown} value={value} choices={choices} onValue={onChosen} />
  return (
    <div class='setting'>
      <p class='field-label'>{shown.label}</p>
      <Segmented label={name} choices={choices} chosen={value} onChoose={onChosen} />
      {shown.hint === undefined ? null : <p class='field-hint'>{shown.hint}</p>}
    </div>
  )
}

function TypedSetting ({ setting, shown, name, value: text, onChosen }: EditorProps) {
  /** The typed value while it differs from the current one; a refused value stays, to be corrected. */
  const [typed, setTyped] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const isSaving = useRef(false)
  const [isChoosing, setChoosing] = useState(false)
  const w = screenWords.value.settings
  const save = async (): Promise<void> => {
    // Enter saves, and then the field loses the focus.
    if (isSaving.current) return
    if (typed === null || typed.trim() === text) return give(null, null)
    const parsed = parseTyped(setting, typed)
    if ('wrong' in parsed) return setProblem(w.needsNumber(setting.min ?? 0, setting.max ?? 0))
    isSaving.current = true
    try {
      await saveSetting(setting, parsed.value)
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
  const unit = w.units[setting.key]
  const field: TextFieldProps = {
    ...shown,
    class: `setting setting-${setting.kind}`,
    value: typed ?? text,
    error: problem,
    ...(setting.kind === 'time' ? { type: 'time' } : { inputMode: setting.kind === 'number' ? 'decimal' : 'text' }),
    ...(unit !== undefined && { after: <span class='setting-unit'>{unit}</span> }),
    onValue: (value) => give(value, null),
    onBlur: () => { void save() },
    onKeyDown: (event) => { if (event.key === 'Enter' && !event.isComposing) void save() }
  }
  if (setting.key === 'push_time_zone') {
    const choices = <datalist id='time-zones'>{zones().map((zone) => <option key={zone} value={zone} />)}</datalist>
    return <TextField {...field} list='time-zones' autoComplete='off' after={choices} />
  }
  if (setting.kind !== 'folder') return <TextField {...field} />
  return (
    <>
      <FolderField {...field} name={name} onChoose={() => setChoosing(true)} />
      {isChoosing
        ? <LazyFolderChooser title={name} current={text} onClose={() => setChoosing(false)} onChosen={({ path }) => onChosen(path)} />
        : null}
    </>
  )
}

/** All time zones; that of this device is first. */
function zones (): string[] {
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return [here, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== here)]
}
