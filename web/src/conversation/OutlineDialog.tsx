import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { api } from '../app.js'
import { currentEntry, readOutline, soughtIn, type OutlineEntry } from '../core/conversation/outline.js'
import { Loaded } from '../ui/Loaded.js'
import { useAction } from '../side/action.js'
import { Dialog } from '../ui/Dialog.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Icon } from '../ui/Icon.js'
import { Search } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { Spinner } from '../ui/Spinner.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { chatDialog } from './chat-dialog.js'
import { type OpenChat } from './open-chat.js'
import { readingView } from './reading-view.js'
import './outline.css'

const close = (): void => { chatDialog.value = null }
const pageStep = 8

/** Lists the messages and headings of the whole chat, loaded or not, to jump to them. */
export function OutlineDialog ({ opened, id }: { opened: OpenChat, id: string }) {
  const count = opened.conversation.session.value?.message_count
  // New messages are added while it is open.
  const outline = useReading(async () => await readOutline(api, id), [id], [count])
  useEffect(() => close, [])
  return (
    <Dialog open onClose={close} title={screenWords.value.talk.outline.title} class='outline' {...isPhone.value ? {} : { from: 'end' }}>
      <Loaded of={outline} lines={8}>{({ entries, truncated }) => <Places opened={opened} entries={entries} isCut={truncated} />}</Loaded>
    </Dialog>
  )
}

function Places ({ opened, entries, isCut }: { opened: OpenChat, entries: readonly OutlineEntry[], isCut: boolean }) {
  const id = useId()
  const [search, setSearch] = useState('')
  const [current] = useState(() => entries[currentEntry(entries, opened.view === null ? null : readingView(opened.view).where())])
  const [chosen, setChosen] = useState(current)
  const action = useAction()
  const shown = soughtIn(entries, search)
  const at = Math.max(0, chosen === undefined ? -1 : shown.findIndex((entry) => isSame(entry, chosen)))
  const optionId = (place: number): string => `${id}-${place}`
  const isFirst = useRef(true)
  useEffect(() => {
    document.getElementById(optionId(at))?.scrollIntoView({ block: isFirst.current ? 'center' : 'nearest' })
    isFirst.current = false
  }, [at, shown.length])
  const w = screenWords.value.talk.outline
  const go = (entry: OutlineEntry): void => {
    setChosen(entry)
    void action.run('go', async () => {
      const { view } = opened
      if (view === null || !await readingView(view).goTo(entry, entries, close)) action.tell(w.notThere)
    })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + pageStep, shown.length - 1),
      PageUp: Math.max(at - pageStep, 0)
    }[event.key]
    if (event.key === 'Enter' && shown[at] !== undefined && !event.isComposing) {
      event.preventDefault()
      go(shown[at])
    } else if (to !== undefined && shown.length > 0) {
      event.preventDefault()
      setChosen(shown[(to + shown.length) % shown.length])
    }
  }
  if (entries.length === 0) return <EmptyState title={w.none} />
  return (
    <div class='outline-view'>
      <span class='field-box outline-search'>
        <Icon of={Search} />
        <input
          type='search' class='field-input' role='combobox' aria-expanded='true' aria-controls={`${id}-list`}
          aria-activedescendant={shown.length === 0 ? undefined : optionId(at)} aria-autocomplete='list'
          aria-label={w.search} placeholder={w.search} value={search} autofocus={!isPhone.peek()}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </span>
      {action.problem === null ? null : <p class='outline-problem' role='alert'>{action.problem}</p>}
      <div id={`${id}-list`} role='listbox' aria-label={w.title} class='outline-list'>
        {isCut && search === '' ? <p class='outline-note'>{w.cut}</p> : null}
        {shown.map((entry, place) => (
          <Place
            key={`${entry.index} ${place}`} id={optionId(place)} entry={entry} isActive={place === at}
            isCurrent={current !== undefined &&
              isSame(entry, current)}
            isBusy={action.doing !== null && place === at}
            onPick={() => go(entry)}
          />
        ))}
      </div>
      {shown.length === 0 ? <p class='outline-note' role='status'>{w.noMatches(search.trim())}</p> : null}
    </div>
  )
}

function Place ({ id, entry: { kind, level, text, source }, isActive, isCurrent, isBusy, onPick }: {
  id: string
  entry: OutlineEntry
  isActive: boolean
  isCurrent: boolean
  isBusy: boolean
  onPick: () => void
}) {
  const w = screenWords.value.talk.outline
  const mark = source === 'steer' ? w.note : source === 'goal' ? w.goal : source === 'cron' ? w.cron : null
  return (
    <div
      id={id} role='option' aria-selected={isCurrent}
      class={`outline-place outline-${kind} outline-level-${level}${isActive ? ' outline-active' : ''}`}
      data-current={isCurrent || undefined} onClick={onPick}
    >
      <span class='outline-text'>
        <bdi>{text === '' ? w.filesOnly : text}</bdi>
        {mark === null ? null : <span class='menu-note'>{mark}</span>}
      </span>
      {isCurrent ? <span class='outline-here'>{w.current}</span> : null}
      {isBusy ? <Spinner size={14} label={words.value.ui.working} /> : null}
    </div>
  )
}

/** Compares entries by value, because each read creates new objects. */
const isSame = (a: OutlineEntry, b: OutlineEntry): boolean => a.index === b.index && a.kind === b.kind &&
  a.text === b.text && a.level === b.level
