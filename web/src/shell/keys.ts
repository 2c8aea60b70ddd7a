import { effect, signal, untracked } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { chatDialog } from '../conversation/chat-dialog.js'
import { waitingSessions } from '../home/store.js'
import { neighbour, shortcutOf, type ShortcutId } from '../core/screen/shortcuts.js'
import { closeSide, openSide, sideTab } from '../side/open.js'
import { overlay, palette } from './palette.js'
import { places } from './places.js'
import { toggleRail } from './rail-fold.js'
import { groupsNow } from './shown-groups.js'

/** Whether keys without Ctrl or ⌘ are shortcuts on this device. People who dictate, or rest a hand on the keys, may turn them off. */
export const singleKeys = signal(localStorage.getItem('single-keys') !== 'off')
effect(() => localStorage.setItem('single-keys', singleKeys.value ? 'on' : 'off'))

/** Listens to the app's shortcuts. Called once. */
export function listenToKeys (): void {
  document.addEventListener('keydown', (event) => {
    const id = shortcutOf(event, !singleKeys.peek() || isTyping(event.target))
    if (id === null || (document.querySelector('dialog[open]') !== null && id !== 'palette')) return
    event.preventDefault()
    act(id)
  })
}

function isTyping (target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable ||
    (target.matches('input, textarea, select') && !target.matches('[type=checkbox], [type=radio], [type=button]')) ||
    target.closest('[role=menu], [role=listbox], [role=tree], [role=grid]') !== null
}

function act (id: ShortcutId): void {
  switch (id) {
    case 'palette':
      palette.value = !palette.peek()
      return
    case 'shortcuts':
      overlay.value = 'shortcuts'
      return
    case 'newChat': return go(places.newChat)
    case 'next': return goBeside(1)
    case 'previous': return goBeside(-1)
    case 'box': return document.getElementById('message')?.focus()
    case 'rail': return toggleRail()
    case 'side': return sideTab.peek() === null ? openSide() : closeSide()
    case 'outline':
      if (document.querySelector('.transcript') !== null) chatDialog.value = 'outline'
      return
    case 'quote':
      void import('../conversation/Quoting.js').then(({ quoteSelection }) => quoteSelection(document.querySelector<HTMLElement>('.transcript')))
        .catch(console.warn)
      return
    case 'waiting': return goToWaiting()
  }
}

const go = (path: string): void => navigate(path)

function goBeside (step: 1 | -1): void {
  const ids = untracked(groupsNow).flatMap(({ families }) => families.map(({ row: { session_id: id } }) => id))
  const current = ids.find((id) => location.pathname === places.session(id)) ?? null
  const id = neighbour(ids, current, step)
  if (id !== null) go(places.session(id))
}

/** Goes to the chat in which something waits; if there are several, the person chooses. */
function goToWaiting (): void {
  const waiting = waitingSessions.peek()
  const [only] = waiting
  go(waiting.size === 1 && only !== undefined ? places.session(only) : places.inbox)
}
