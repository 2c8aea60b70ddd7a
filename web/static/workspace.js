/* global document, matchMedia, sessionStorage, addEventListener, setTimeout */
import { refresher } from './api.js'
import { createChanges } from './changes.js'
import { byId } from './dom.js'
import { createFiles } from './files.js'

const storageKey = 'workspace-open'
/** A working agent changes files all the time; they are looked at this often at most. */
const pauseMs = 500
const isDocked = () => matchMedia('(min-width: 64rem)').matches

/**
 * The panel beside the conversation: the files of its folder, and what git says of them. On a narrow page it comes in
 * from the side. What a session has no part of is not shown.
 */
export function createWorkspace () {
  const toggle = byId('workspace-toggle')
  const panel = byId('workspace')
  const tabs = [byId('files-tab'), byId('changes-tab')]
  let sessionId = null
  let isOpen = false
  let isRunning = false
  let tab = 'files'

  const files = createFiles({ onChanged: () => changes.look() })
  const changes = createChanges({
    onInfo (info) {
      byId('changes-tab').hidden = info === null
      byId('changes-tab').querySelector('.badge').textContent = info === null || info.dirty === 0 ? '' : String(info.dirty)
      if (info === null && tab === 'changes') select('files')
    },
    onFilesChanged: () => files.refresh()
  })

  const worked = refresher(async () => {
    refreshShown()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  })

  function refreshShown () {
    if (!isShown()) return
    if (tab === 'files') files.refresh()
    changes.look()
  }

  const isShown = () => isOpen && sessionId !== null && !document.hidden

  /**
   * The stream takes one of the few connections a browser has for all its windows. While a turn runs, which has one of
   * its own, that tells when something is done.
   */
  function attend () {
    files.attend(isShown() && tab === 'files' && !isRunning)
    changes.attend(isShown() && tab === 'changes')
  }

  function open (next, { isQuiet = false } = {}) {
    if (next === isOpen) return
    isOpen = next
    toggle.setAttribute('aria-expanded', String(isOpen))
    document.body.classList.toggle('workspace-open', isOpen)
    if (!isQuiet) sessionStorage.setItem(storageKey, isOpen && isDocked() ? '1' : '')
    if (isOpen) {
      files.show(sessionId)
      changes.show(sessionId)
    }
    attend()
    if (isQuiet) return
    if (isOpen) byId(`${tab}-tab`).focus()
    else toggle.focus()
  }

  function select (next) {
    tab = next
    for (const one of tabs) {
      const isSelected = one.id === `${tab}-tab`
      one.setAttribute('aria-selected', String(isSelected))
      one.tabIndex = isSelected ? 0 : -1
      byId(one.getAttribute('aria-controls')).hidden = !isSelected
    }
    attend()
  }

  function widen () {
    const isWide = byId('widen').getAttribute('aria-pressed') !== 'true'
    byId('widen').setAttribute('aria-pressed', String(isWide))
    document.body.classList.toggle('workspace-wide', isWide)
  }

  for (const one of tabs) one.addEventListener('click', () => select(one.id.replace('-tab', '')))
  panel.querySelector('[role="tablist"]').addEventListener('keydown', ({ key }) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    const shown = tabs.filter(({ hidden }) => !hidden)
    const next = shown[(shown.findIndex(({ id }) => id === `${tab}-tab`) + 1) % shown.length]
    next.click()
    next.focus()
  })
  toggle.addEventListener('click', () => open(!isOpen))
  byId('close-workspace').addEventListener('click', () => open(false))
  byId('widen').addEventListener('click', widen)
  byId('shade').addEventListener('click', () => { if (!isDocked()) open(false) })
  addEventListener('keydown', ({ key }) => {
    // A list or a dialog in front of it goes first.
    if (key === 'Escape' && isOpen && !isDocked() && document.querySelector(':popover-open, dialog[open]') === null) open(false)
  })
  document.addEventListener('visibilitychange', attend)
  addEventListener('beforeunload', (event) => { if (files.isUnsaved()) event.preventDefault() })
  select('files')

  return {
    /** @param {string | null} id the session that is open */
    show (id) {
      if (id === sessionId) return
      sessionId = id
      toggle.hidden = id === null
      if (id === null || !isDocked()) open(false, { isQuiet: true })
      else if (sessionStorage.getItem(storageKey) === '1') open(true, { isQuiet: true })
      if (!isOpen) return
      files.show(id)
      changes.show(id)
      attend()
    },
    /** @param {boolean} running whether a turn of the open session runs */
    running (running) {
      if (running === isRunning) return
      isRunning = running
      attend()
      if (!running) worked()
    },
    worked
  }
}
