/* global document */
import { counted, sizeWords, timeWords, visible } from './names.js'
import { el } from './dom.js'
import { menuButton } from './menu.js'

const rowsAtOnce = 500

/**
 * The entries of a folder as rows. Those that stay the same are left alone, so that a change elsewhere takes neither
 * the focus nor the place one has scrolled to.
 * @param {object} options
 * @param {(entry: object) => void} options.onOpen
 * @param {(entry: object) => Array<object>} options.itemsFor what can be done with one
 * @param {(path: string) => boolean} options.isUnsaved
 */
export function createEntryList ({ onOpen, itemsFor, isUnsaved }) {
  const list = el('ul', { class: 'entries', 'aria-label': 'Files' })
  const more = el('button', { type: 'button', class: 'quiet', hidden: true, onclick: showMore })
  const rows = new Map()
  let entries = []
  let limit = rowsAtOnce

  function draw () {
    const focused = document.activeElement
    const place = list.contains(focused) ? { path: focused.closest('li').dataset.path, look: focused.className } : null
    const shown = entries.slice(0, limit)
    const kept = new Set(shown.map(({ path }) => path))
    for (const [path, row] of rows) {
      if (kept.has(path)) continue
      row.item.remove()
      rows.delete(path)
    }
    shown.forEach((entry, index) => {
      const item = rowOf(entry)
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
    })
    more.hidden = entries.length <= limit
    more.textContent = `Show more (${counted(entries.length - limit, 'entry').replace('entrys', 'entries')})`
    if (place !== null && !list.contains(document.activeElement)) focus(place.path, place.look)
  }

  function rowOf (entry) {
    const key = JSON.stringify([entry, isUnsaved(entry.path)])
    const known = rows.get(entry.path)
    if (known?.key === key) return known.item
    const item = makeRow(entry)
    item.dataset.path = entry.path
    if (known === undefined) rows.set(entry.path, { key, item })
    else {
      known.item.replaceWith(item)
      Object.assign(known, { key, item })
    }
    return item
  }

  function makeRow (entry) {
    const { name, is_dir: isFolder, target, target_outside_workspace: isOutside = false, size, modified } = entry
    const shown = visible(name)
    const label = [
      el('span', { class: `icon ${isFolder ? 'folder' : 'file'}`, 'aria-hidden': 'true' }),
      el('bdi', { class: 'name' }, shown)
    ]
    const notes = [
      entry.type === 'symlink' ? el('span', { class: 'small', title: target === undefined || target === null ? '' : visible(target) }, isOutside ? 'outside the workspace' : target ? `→ ${visible(target)}` : 'link') : null,
      isUnsaved(entry.path) ? el('span', { class: 'small unsaved' }, 'not saved') : null
    ]
    return el('li', { class: entry.type },
      isOutside
        ? el('span', { class: 'open', title: shown }, ...label, ...notes)
        : el('button', { type: 'button', class: 'open', title: shown, 'aria-label': `${isFolder ? 'Folder' : 'File'} ${shown}`, onclick: () => onOpen(entry) }, ...label, ...notes),
      el('span', { class: 'size' }, isFolder || size === null ? '' : sizeWords(size)),
      el('span', { class: 'time' }, typeof modified === 'number' ? timeWords(modified) : ''),
      menuButton({ label: `What to do with ${shown}`, items: () => itemsFor(entry) }))
  }

  function showMore () {
    const [next] = entries.slice(limit)
    limit += rowsAtOnce
    draw()
    focus(next.path, 'open')
  }

  function focus (path, look = 'open') {
    const item = rows.get(path)?.item
    const control = [...item?.querySelectorAll('button') ?? []].find(({ className }) => className === look)
    control?.focus()
    return control !== undefined
  }

  return {
    elements: [list, more],
    /** @param {object[]} next @param {boolean} isSameFolder */
    show (next, isSameFolder) {
      entries = next
      if (!isSameFolder) limit = rowsAtOnce
      draw()
    },
    draw,
    focus
  }
}
