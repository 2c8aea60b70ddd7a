import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { opened } from '../conversation/opened.js'
import { ApiError } from '../core/service/api.js'
import { ranked } from '../core/screen/palette-search.js'
import { renameSession } from '../core/sessions/session-actions.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Icon } from '../ui/Icon.js'
import { Search, X } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { screenWords, words } from '../words/index.js'
import { chatEntry, commands, recentChats, type Entry, type EntryGroup } from './entries.js'
import './palette.css'

const pauseMs = 120
const mostRecent = 6
const mostFound = 12
const order: readonly EntryGroup[] = ['recent', 'inChat', 'chats', 'screens', 'app']

/** Finds chats by title and message, screens and actions, by keyboard alone if wanted. */
export function Palette ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  const typed = useSignal('')
  const isRenaming = useSignal(false)
  const chosen = useSignal(0)
  const { found, isSearching } = useFound(isRenaming.value ? '' : typed.value.trim())
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const entries = useComputed((): Entry[] => {
    const text = typed.value.trim()
    const all = text === '' ? [...recentChats(mostRecent), ...commands()] : [...ranked(commands(), text), ...found.value]
    return order.flatMap((group) => all.filter((entry) => entry.group === group))
  })
  const at = Math.min(chosen.value, entries.value.length - 1)
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, entries.value])

  const pick = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    if (entry.asks === 'title') {
      isRenaming.value = true
      typed.value = opened.peek()?.conversation.session.peek()?.title ?? ''
      return
    }
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
      else pick(entries.value[at])
      return
    }
    const to = steps[event.key]
    if (isRenaming.value || to === undefined || last < 0) return
    event.preventDefault()
    chosen.value = to
  }
  const hasList = !isRenaming.value
  return (
    <Dialog open onClose={onClose} title={isRenaming.value ? w.rename : w.title} size='full' bare class='palette'>
      <div class='palette-field'>
        <Icon of={Search} size={18} />
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
        {isPhone.value ? <Button kind='quiet' icon={X} label={words.value.common.close} onClick={onClose} /> : null}
      </div>
      {hasList
        ? (
          <>
            <p class='visually-hidden' role='status'>
              {isSearching.value ? w.searching : entries.value.length === 0 ? w.nothing : w.count(entries.value.length)}
            </p>
            <div id={listId} ref={list} class='palette-list' role='listbox' aria-label={w.title}>
              {order.map((group) => (
                <GroupView key={group} group={group} entries={entries.value} chosen={at} listId={listId} onPick={pick} />
              ))}
            </div>
            {entries.value.length === 0 ? <p class='palette-nothing'>{isSearching.value ? w.searching : w.nothing}</p> : null}
          </>)
        : null}
    </Dialog>
  )
}

interface GroupProps { group: EntryGroup, entries: readonly Entry[], chosen: number, listId: string, onPick: (entry: Entry) => void }

function GroupView ({ group, entries, chosen, listId, onPick }: GroupProps) {
  const name = screenWords.value.palette[group]
  const first = entries.findIndex((entry) => entry.group === group)
  if (first === -1) return null
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
            <bdi>{entry.text}</bdi>
            {entry.note === undefined ? null : <span class='palette-note'><bdi>{entry.note}</bdi></span>}
          </div>))}
    </div>
  )
}

/** Searches chats by title and message. */
function useFound (text: string) {
  const found = useSignal<readonly Entry[]>([])
  const isSearching = useSignal(false)
  useEffect(() => {
    const aborter = new AbortController()
    isSearching.value = text !== ''
    if (text === '') found.value = []
    const timer = text === ''
      ? undefined
      : setTimeout(() => {
        api.get('/api/sessions/search', { q: text }, aborter.signal).then((answer) => {
          found.value = answer.sessions.slice(0, mostFound).map((row) => chatEntry('chats', row, row.match_preview ?? undefined))
          isSearching.value = false
        }, (error: unknown) => { if (error instanceof ApiError) isSearching.value = false })
      }, pauseMs)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [text])
  return { found, isSearching }
}
