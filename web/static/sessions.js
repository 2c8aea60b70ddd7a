/* global document, setTimeout */
import { get } from './api.js'
import { byId, el } from './dom.js'

const pageSize = 40
/** A running turn changes the list with every step; it is drawn at most this often. */
const pauseMs = 250

/**
 * The list of recent sessions.
 * @param {object} options
 * @param {(rows: object[]) => void} options.onList every list that was fetched
 */
export function createSessionList ({ onList }) {
  const list = byId('sessions')
  const more = byId('more-sessions')
  const items = new Map()
  let rows = []
  let limit = pageSize
  let currentId = null
  let fetching = false
  let again = false

  more.addEventListener('click', () => {
    limit += pageSize
    draw()
  })

  async function refresh () {
    again = true
    if (fetching) return
    fetching = true
    while (again) {
      again = false
      try {
        rows = (await get('/api/sessions', { exclude_hidden: 1 })).sessions
        draw()
        onList(rows)
      } catch {
        // The stream of changes tells when the service is back.
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    fetching = false
  }

  function draw () {
    const shown = [...rows].sort((a, b) => Number(b.pinned) - Number(a.pinned)).slice(0, limit)
    const focused = document.activeElement
    const wanted = shown.map(itemOf)
    // Moving a node would take the focus from it, so the list is touched only where it differs.
    wanted.forEach((item, index) => {
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
    })
    while (list.children.length > wanted.length) list.lastElementChild.remove()
    const kept = new Set(shown.map((row) => row.session_id))
    for (const id of items.keys()) if (!kept.has(id)) items.delete(id)
    if (focused !== document.activeElement && list.contains(focused)) focused.focus()
    more.hidden = rows.length <= limit
    byId('no-sessions').hidden = rows.length > 0
  }

  function itemOf (row) {
    const known = items.get(row.session_id) ?? newItem(row.session_id)
    const { link, title, mark } = known
    if (title.textContent !== row.display_title) title.textContent = row.display_title
    const state = markOf(row)
    mark.className = `mark ${state.look}`
    if (mark.textContent !== state.words) mark.textContent = state.words
    if (row.session_id === currentId) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
    return known.item
  }

  function newItem (id) {
    const title = el('span', { class: 'title' })
    const mark = el('span', { class: 'mark' })
    const link = el('a', { href: `#${id}` }, title, mark)
    const made = { item: el('li', {}, link), link, title, mark }
    items.set(id, made)
    return made
  }

  return {
    refresh,
    /** @param {string | null} id the session that is open */
    select (id) {
      currentId = id
      draw()
    }
  }
}

function markOf ({ attention, is_streaming: isLive, last_message_at: lastS }) {
  if (attention?.kind === 'approval') return { look: 'needed', words: 'Permission needed' }
  if (attention?.kind === 'clarify') return { look: 'needed', words: 'Question' }
  if (isLive) return { look: 'live', words: 'Running' }
  return { look: '', words: lastS === null ? '' : dateOf(lastS) }
}

function dateOf (epochS) {
  const date = new Date(epochS * 1000)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}
