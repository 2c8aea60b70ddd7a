/* global document, setTimeout */
import { get, refresher } from './api.js'
import { byId, el } from './dom.js'

const pageSize = 40
/** A running turn changes the list with every step; it is drawn at most this often. */
const pauseMs = 250

/**
 * The list of recent sessions. Sub-agents' sessions stand below their conversation, folded unless that is open.
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

  more.addEventListener('click', () => {
    limit += pageSize
    draw()
  })

  const refresh = refresher(async () => {
    try {
      rows = (await get('/api/sessions', { exclude_hidden: 1 })).sessions
      draw()
      onList(rows)
    } finally {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  })

  function draw () {
    const focused = document.activeElement
    const present = new Set(rows.map((row) => row.session_id))
    for (const id of items.keys()) if (!present.has(id)) items.delete(id)
    // Without its conversation in the list, a sub-agent's session stands for itself.
    const isChild = (row) => row.relationship_type === 'child_session' && present.has(row.parent_session_id)
    const children = new Map()
    for (const row of rows.filter(isChild)) children.set(row.parent_session_id, [...(children.get(row.parent_session_id) ?? []), row])
    const tops = rows.filter((row) => !isChild(row)).sort((a, b) => Number(b.pinned) - Number(a.pinned))
    fill(list, tops.slice(0, limit).map((row) => itemOf(row, children)))
    if (focused !== document.activeElement && list.contains(focused)) focused.focus()
    more.hidden = tops.length <= limit
    byId('no-sessions').hidden = rows.length > 0
  }

  function itemOf (row, children) {
    const known = items.get(row.session_id) ?? newItem(row.session_id)
    const { link, title, mark } = known
    if (title.textContent !== row.display_title) title.textContent = row.display_title
    const state = markOf(row)
    mark.className = `mark ${state.look}`
    if (mark.textContent !== state.words) mark.textContent = state.words
    if (row.session_id === currentId) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
    drawChildren(known, row, children)
    return known.item
  }

  function drawChildren (known, row, children) {
    // The latest conversation comes first in the list, but the first sub-agent first below it.
    const own = (children.get(row.session_id) ?? []).sort((a, b) => a.created_at - b.created_at)
    const isNear = row.session_id === currentId || own.some(({ session_id: id }) => id === currentId)
    const isOpen = known.isOpen ?? isNear
    fill(known.list, own.map((child) => itemOf(child, children)))
    const live = own.filter((child) => child.is_streaming).length
    const words = `${own.length} sub-agent${own.length === 1 ? '' : 's'}${live === 0 ? '' : ` · ${live} running`}`
    if (known.fold.textContent !== words) known.fold.textContent = words
    known.fold.setAttribute('aria-expanded', String(isOpen))
    known.fold.hidden = own.length === 0
    known.list.hidden = !isOpen || own.length === 0
  }

  function newItem (id) {
    const title = el('span', { class: 'title' })
    const mark = el('span', { class: 'mark' })
    const link = el('a', { href: `#${id}` }, title, mark)
    const below = el('ul', { id: `below-${id}`, hidden: true })
    const fold = el('button', {
      type: 'button',
      class: 'fold quiet',
      hidden: true,
      'aria-expanded': 'false',
      'aria-controls': below.id,
      onclick: () => {
        made.isOpen = fold.getAttribute('aria-expanded') !== 'true'
        draw()
      }
    })
    /** `isOpen`: what the person has chosen, until another session is opened. */
    const made = { item: el('li', {}, link, fold, below), link, title, mark, fold, list: below, isOpen: undefined }
    items.set(id, made)
    return made
  }

  return {
    refresh,
    /** @param {string | null} id the session that is open */
    select (id) {
      if (id !== currentId) for (const item of items.values()) item.isOpen = undefined
      currentId = id
      draw()
    }
  }
}

/** Moving a node would take the focus from it, so the list is touched only where it differs. */
function fill (list, wanted) {
  wanted.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
  })
  while (list.children.length > wanted.length) list.lastElementChild.remove()
}

function markOf ({ attention, is_streaming: isLive, last_message_at: lastS }) {
  if (attention !== null) {
    const more = attention.count > 1 ? ` (${attention.count})` : ''
    return { look: 'needed', words: `${attention.kind === 'approval' ? 'Permission needed' : 'Question'}${more}` }
  }
  if (isLive) return { look: 'live', words: 'Running' }
  return { look: '', words: lastS === null ? '' : dateOf(lastS) }
}

function dateOf (epochS) {
  const date = new Date(epochS * 1000)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}
