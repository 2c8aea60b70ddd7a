import { controlKey } from '../core/screen/shortcuts.js'
import { attempt } from '../ui/attempt.js'
import { Kbd } from '../ui/Badge.js'
import { Icon } from '../ui/Icon.js'
import { Marked } from '../ui/Marked.js'
import { isPhone } from '../ui/screen.js'
import { isBrief } from '../settings/place.js'
import { shownChoice } from '../settings/say.js'
import { saveSetting, valueOf } from '../settings/store.js'
import { shownText, type Setting } from '../settings/table.js'
import { screenWords } from '../words/index.js'
import { entryGroups, type Entry, type EntryGroup } from './entries.js'

interface ListProps { entries: readonly Entry[], chosen: number, listId: string, typed: string, onPick: (entry: Entry) => void }

/** The entries by group; the keyboard focus stays in the field, which refers to the chosen entry. */
export function PaletteList (props: ListProps) {
  return <>{entryGroups.map((group) => <GroupView key={group} group={group} {...props} />)}</>
}

function GroupView ({ group, entries, chosen, listId, typed, onPick }: ListProps & { group: EntryGroup }) {
  const name = screenWords.value.palette[group]
  if (!entries.some((entry) => entry.group === group)) return null
  return (
    <div role='group' aria-label={name}>
      <div class='palette-group' aria-hidden='true'>{name}</div>
      {entries.map((entry, at) => entry.group !== group
        ? null
        : (
          <div
            key={entry.id} id={`${listId}-${at}`} role='option' aria-selected={at === chosen} class='palette-entry'
            onPointerDown={(event) => event.preventDefault()} onClick={() => onPick(entry)}
          >
            <Icon of={entry.icon} />
            <EntryText entry={entry} typed={typed} />
            <EntryEnd entry={entry} isChosen={at === chosen} />
          </div>))}
    </div>
  )
}

function EntryText ({ entry: { before, text, note }, typed }: { entry: Entry, typed: string }) {
  return (
    <span class='palette-text'>
      {before === undefined ? null : <><span class='palette-note'><bdi>{before}</bdi></span> </>}
      <bdi><Marked text={text} sought={typed} /></bdi>
      {note === undefined ? null : <> <span class='palette-note'><bdi>{note}</bdi></span></>}
    </span>
  )
}

function EntryEnd ({ entry: { setting, end, group }, isChosen }: { entry: Entry, isChosen: boolean }) {
  if (setting !== undefined) return <SettingEnd setting={setting} />
  return (
    <span class='palette-end'>
      {end}
      {isPhone.value ? null : group === 'ask' ? <Kbd>{controlKey} ↵</Kbd> : isChosen ? <Kbd>↵</Kbd> : null}
    </span>
  )
}

/**
 * Draws the control of a setting. Keyboard and screen readers change the entry itself, because an option of a list cannot contain controls.
 */
function SettingEnd ({ setting }: { setting: Setting }) {
  const w = screenWords.value.palette
  const value = valueOf(setting)
  const choose = (chosen: unknown) => (event: Event): void => {
    event.stopPropagation()
    void attempt(async () => await saveSetting(setting, chosen))
  }
  if (setting.kind === 'part') return null
  if (setting.kind === 'switch') {
    return (
      <span class='palette-end'>
        <span class='visually-hidden'>{value === true ? w.on : w.off}</span>
        <span class='palette-switch' data-on={value === true} onClick={choose(value !== true)} />
      </span>
    )
  }
  const choices = (setting.choices ?? []).map((key) => ({ key, text: shownChoice(setting, key) }))
  const text = setting.kind === 'choice' ? shownChoice(setting, String(value)) : shownText(setting, value)
  if (choices.length === 0 || !isBrief(choices)) return <span class='palette-end palette-value'>{text}</span>
  return (
    <span class='palette-end'>
      <span class='visually-hidden'>{w.now(text)}</span>
      <span class='segmented' aria-hidden='true'>
        {choices.map(({ key, text: choice }) => (
          <span key={key} class='segmented-choice palette-choice' data-on={key === value} onClick={choose(key)}>{choice}</span>
        ))}
      </span>
    </span>
  )
}
