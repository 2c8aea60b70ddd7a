import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { opened } from '../conversation/opened.js'
import { ranked } from '../core/screen/palette-search.js'
import { renameSession } from '../core/sessions/session-actions.js'
import { saveSetting, serviceSettings, valueOf } from '../settings/store.js'
import { nextValue } from '../settings/table.js'
import { attempt } from '../ui/attempt.js'
import { Kbd } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Icon } from '../ui/Icon.js'
import { Search, Sparkles, X } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { screenWords, words } from '../words/index.js'
import { askInNewChat } from './ask.js'
import { commands, entryGroups, recentEntries, settingEntries, type Entry, type EntryGroup } from './entries.js'
import { useFound } from './found.js'
import { PaletteList } from './PaletteList.js'
import { keepPick } from './recent-picks.js'
import './palette.css'

const mostRecent = 6
const mostSettings = 6

/** What Tab limits the entries to, one after the other. */
const filters: ReadonlyArray<{ name: 'all' | 'onlyChats' | 'onlyFiles' | 'onlySettings', groups: readonly EntryGroup[] }> = [
  { name: 'all', groups: entryGroups }, { name: 'onlyChats', groups: ['recent', 'chats', 'messages'] },
  { name: 'onlyFiles', groups: ['files'] }, { name: 'onlySettings', groups: ['settings'] }
]

/** Finds actions, screens, settings, chats, messages and files, by keyboard alone if wanted; what is not found, the agent is asked. */
export function Palette ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  const typed = useSignal('')
  const isRenaming = useSignal(false)
  const chosen = useSignal(0)
  const filter = useSignal(0)
  const { found, isSearching } = useFound(isRenaming.value ? '' : typed.value.trim())
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const entries = useComputed((): Entry[] => {
    const text = typed.value.trim()
    const { groups = entryGroups } = filters[filter.value] ?? {}
    const all = text === '' ? [...recentEntries(mostRecent), ...commands().filter(({ isSought }) => isSought !== true)] : [...matching(text), ...found.value, askEntry(text)]
    return entryGroups.filter((group) => groups.includes(group)).flatMap((group) => all.filter((entry) => entry.group === group))
  })
  const at = Math.min(chosen.value, entries.value.length - 1)
  useEffect(() => { void serviceSettings.refresh() }, [])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, entries.value])

  const pick = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    if (entry.asks === 'title') {
      isRenaming.value = true
      typed.value = opened.peek()?.conversation.session.peek()?.title ?? ''
      return
    }
    const { setting } = entry
    if (setting?.kind === 'switch' || setting?.kind === 'choice') {
      void attempt(async () => await saveSetting(setting, nextValue(setting, valueOf(setting))))
      return
    }
    keepPick(entry.id)
    onClose()
    // The focus returns to where it was, before the picked entry may move it.
    queueMicrotask(entry.onPick)
  }
  const rename = async (): Promise<void> => {
    const conversation = opened.peek()?.conversation
    const id = conversation?.sessionId.peek()
    if (conversation === undefined || id == null || typed.value.trim() === '') return
    const row = await renameSession(api, id, typed.value.trim())
    conversation.syncRow({ session_id: row.session_id, title: row.title })
    onClose()
  }
  function onKeyDown (event: KeyboardEvent): void {
    if (event.isComposing) return
    const last = entries.value.length - 1
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at === last ? 0 : at + 1, ArrowUp: at === 0 ? last : at - 1, PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (isRenaming.value) void attempt(rename)
      else pick(event.ctrlKey || event.metaKey ? entries.value.find(({ group }) => group === 'ask') : entries.value[at])
      return
    }
    if (isRenaming.value) return
    if (event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault()
      filter.value = (filter.value + 1) % filters.length
      chosen.value = 0
      return
    }
    const to = steps[event.key]
    if (to === undefined || last < 0) return
    event.preventDefault()
    chosen.value = to
  }
  const hasList = !isRenaming.value
  const filterName = filters[filter.value]?.name ?? 'all'
  return (
    <Dialog open onClose={onClose} title={isRenaming.value ? w.rename : w.title} size='full' bare class='palette'>
      <div class='palette-field'>
        <Icon of={Search} size={18} />
        {filterName === 'all' ? null : <span class='palette-filter'>{w[filterName]}</span>}
        <input
          type='text' autofocus dir='auto' value={typed} placeholder={isRenaming.value ? w.newTitle : w.placeholder}
          aria-label={isRenaming.value ? w.newTitle : w.title} maxLength={isRenaming.value ? 80 : 200}
          autocomplete='off' spellcheck={false} enterkeyhint={isRenaming.value ? 'done' : 'go'}
          {...(hasList
            ? {
                role: 'combobox', 'aria-expanded': true, 'aria-controls': listId, 'aria-autocomplete': 'list',
                'aria-activedescendant': at < 0 ? undefined : `${listId}-${at}`
              }
            : {})}
          onInput={({ currentTarget }) => { typed.value = currentTarget.value; chosen.value = 0 }}
          onKeyDown={onKeyDown}
        />
        {isPhone.value ? <Button kind='quiet' icon={X} label={words.value.common.close} onClick={onClose} /> : <Kbd>Esc</Kbd>}
      </div>
      {hasList
        ? (
          <>
            <p class='visually-hidden' role='status'>
              {isSearching.value ? w.searching : entries.value.length === 0 ? w.nothing : w.count(entries.value.length)}
            </p>
            <div id={listId} ref={list} class='palette-list' role='listbox' aria-label={w.title}>
              <PaletteList entries={entries.value} chosen={at} listId={listId} typed={typed.value} onPick={pick} />
            </div>
            {entries.value.length === 0 ? <p class='palette-nothing'>{isSearching.value ? w.searching : w.nothing}</p> : null}
            {isPhone.value
              ? null
              : (
                <p class='palette-keys' aria-hidden='true'>
                  <span><Kbd>↑</Kbd> <Kbd>↓</Kbd> {w.move}</span>
                  <span><Kbd>↵</Kbd> {w.openOrChange}</span>
                  <span><Kbd>Tab</Kbd> {w.filter}</span>
                </p>
                )}
          </>)
        : null}
    </Dialog>
  )
}

/** Returns the actions, screens and settings that match, the best of them in a group of its own. */
function matching (text: string): Entry[] {
  const [best, ...rest] = ranked([...commands(), ...settingEntries()], text)
  if (best === undefined) return []
  const settings = rest.filter(({ group }) => group === 'settings').slice(0, mostSettings)
  return [{ ...best, group: 'best' }, ...rest.filter(({ group }) => group !== 'settings'), ...settings]
}

function askEntry (text: string): Entry {
  return { id: 'ask', group: 'ask', icon: Sparkles, text: screenWords.value.palette.askAgent(text), onPick: () => askInNewChat(text) }
}
