import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { openChat } from '../conversation/open-chat.js'
import { ranked } from '../core/screen/palette-search.js'
import { renameSession } from '../core/sessions/session-actions.js'
import { saveSetting, serviceSettings, valueOf } from '../settings/store.js'
import { nextValue } from '../settings/table.js'
import { ownTitle } from '../shell/chat-title.js'
import { takeTypedAhead } from '../shell/palette.js'
import { attempt } from '../ui/attempt.js'
import { Kbd } from '../ui/Badge.js'
import { Dialog } from '../ui/Dialog.js'
import { Sparkles } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { askInNewChat } from './ask.js'
import { commands, entryGroups, listedChats, recentEntries, settingEntries, type Entry, type EntryGroup } from './entries.js'
import { useSearch } from './use-search.js'
import { PaletteField } from './PaletteField.js'
import { PaletteList } from './PaletteList.js'
import { keepPick } from './recent-picks.js'
import './palette.css'

const mostRecent = 6
const mostSettings = 6

interface Filter { readonly name: 'onlyChats' | 'onlyFiles' | 'onlySettings' | null, readonly groups: readonly EntryGroup[] }

const everything: Filter = { name: null, groups: entryGroups }

/** The filters that Tab cycles through. */
const filters: readonly Filter[] = [
  everything, { name: 'onlyChats', groups: ['recent', 'chats', 'messages'] }, { name: 'onlyFiles', groups: ['files'] },
  { name: 'onlySettings', groups: ['settings'] }
]

/** Finds actions, screens, settings, chats, messages and files, by keyboard alone if desired; anything else can be asked of the agent. */
export function Palette ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  const typed = useSignal(useMemo(takeTypedAhead, []))
  const isRenaming = useSignal(false)
  const chosen = useSignal(0)
  const filter = useSignal(everything)
  const { found, isSearching } = useSearch(isRenaming.value ? '' : typed.value.trim())
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const entries = useComputed(() => entriesFor(typed.value.trim(), filter.value, found))
  const at = Math.min(chosen.value, entries.value.length - 1)
  useEffect(() => { void serviceSettings.refresh() }, [])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, entries.value])

  const pick = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    if (entry.asks === 'title') {
      isRenaming.value = true
      typed.value = ownTitle(openChat.peek()?.conversation.session.peek()?.title ?? '')
      return
    }
    const { setting } = entry
    if (setting?.kind === 'switch' || setting?.kind === 'choice') {
      void attempt(async () => await saveSetting(setting, nextValue(setting, valueOf(setting))))
      return
    }
    keepPick(entry.id)
    onClose()
    // The focus returns to its previous place before the picked entry may move it.
    queueMicrotask(entry.onPick)
  }
  const rename = async (): Promise<void> => { if (await renameOpened(typed.value.trim())) onClose() }
  function onKeyDown (event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (isRenaming.value) void attempt(rename)
      else pick(event.ctrlKey || event.metaKey ? entries.value.find(({ group }) => group === 'ask') : entries.value[at])
      return
    }
    if (isRenaming.value) return
    if (event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault()
      filter.value = filters[(filters.indexOf(filter.value) + 1) % filters.length] ?? everything
      chosen.value = 0
      return
    }
    const to = movedTo(event.key, at, entries.value.length - 1)
    if (to === null) return
    event.preventDefault()
    chosen.value = to
  }
  const { name } = filter.value
  return (
    <Dialog open onClose={onClose} title={isRenaming.value ? w.rename : w.title} size='full' bare class='palette'>
      <PaletteField
        typed={typed} isRenaming={isRenaming.value} filter={name === null ? null : w[name]} listId={listId}
        chosenId={at < 0 ? undefined : `${listId}-${at}`} onInput={(text) => { typed.value = text; chosen.value = 0 }}
        onKeyDown={onKeyDown} onClose={onClose}
      />
      {isRenaming.value
        ? null
        : (
          <>
            <p class='visually-hidden' role='status'>
              {isSearching.value ? w.searching : entries.value.length === 0 ? w.nothing : w.count(entries.value.length)}
            </p>
            <div id={listId} ref={list} class='palette-list' role='listbox' aria-label={w.title}>
              <PaletteList entries={entries.value} chosen={at} listId={listId} typed={typed.value} onPick={pick} />
            </div>
            {entries.value.length === 0 ? <p class='palette-nothing'>{isSearching.value ? w.searching : w.nothing}</p> : null}
            {isPhone.value ? null : <Keys />}
          </>)}
    </Dialog>
  )
}

function Keys () {
  const w = screenWords.value.palette
  return (
    <p class='palette-keys' aria-hidden='true'>
      <span><Kbd>↑</Kbd> <Kbd>↓</Kbd> {w.move}</span>
      <span><Kbd>↵</Kbd> {w.openOrChange}</span>
      <span><Kbd>Tab</Kbd> {w.filter}</span>
    </p>
  )
}

/** Returns the index in the list that a key leads to; null for a key that does not move. */
function movedTo (key: string, at: number, last: number): number | null {
  if (last < 0) return null
  switch (key) {
    case 'ArrowDown': return at === last ? 0 : at + 1
    case 'ArrowUp': return at === 0 ? last : at - 1
    case 'PageDown': return Math.min(last, at + 8)
    case 'PageUp': return Math.max(0, at - 8)
    default: return null
  }
}

/** Renames the open chat. Resolves with false for an empty title, or if no chat is open. */
async function renameOpened (title: string): Promise<boolean> {
  const conversation = openChat.peek()?.conversation
  const id = conversation?.sessionId.peek()
  if (conversation === undefined || id == null || title === '') return false
  const row = await renameSession(api, id, title)
  conversation.syncRow({ session_id: row.session_id, title: row.title })
  return true
}

/** Returns the entries by group. `found`: the entries that the service found. */
function entriesFor (text: string, { groups }: Filter, found: ReadonlySignal<readonly Entry[]>): Entry[] {
  const all = text === ''
    ? [...recentEntries(mostRecent), ...commands().filter(({ isSought }) => isSought !== true)]
    : [...matching(text, groups.includes('best')), ...found.value, askEntry(text)]
  const best = all.find(({ group }) => group === 'best')?.id
  return entryGroups.filter((group) => groups.includes(group)).flatMap((group) =>
    all.filter((entry) => entry.group === group && (group !== 'chats' || entry.id !== best)))
}

/**
 * Returns the actions, screens and settings that match. `hasBest`: the best of them and of the chats in the list is in a group of its own.
 */
function matching (text: string, hasBest: boolean): Entry[] {
  const found = ranked([...commands(), ...settingEntries(), ...listedChats()], text)
  const best = hasBest ? found.slice(0, 1) : []
  // The service finds the other chats.
  const rest = found.slice(best.length).filter(({ group }) => group !== 'chats')
  const settings = rest.filter(({ group }) => group === 'settings').slice(0, mostSettings)
  return [...best.map((entry): Entry => ({ ...entry, group: 'best' })), ...rest.filter(({ group }) => group !== 'settings'), ...settings]
}

function askEntry (text: string): Entry {
  return { id: 'ask', group: 'ask', icon: Sparkles, text: screenWords.value.palette.askAgent(text), onPick: () => askInNewChat(text) }
}
