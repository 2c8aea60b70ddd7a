/* global document, CSS */
import { fileDiff } from './diff-view.js'
import { el } from './dom.js'
import { counted, visible } from './names.js'

const states = { M: 'changed', A: 'new', D: 'deleted', R: 'renamed', C: 'copied', T: 'other type', U: 'in conflict', '??': 'not tracked' }

/**
 * The files that differ: those in conflict, those staged for the next commit, the others. A file that is staged in part
 * stands in two of them.
 * @param {object} options
 * @param {(path: string, kind: 'staged' | 'unstaged') => Promise<object>} options.diffOf
 * @param {(paths: string[]) => void} options.onStage
 * @param {(paths: string[]) => void} options.onUnstage
 * @param {(files: object[]) => void} options.onDiscard
 * @param {() => void} options.onSelect
 */
export function createChangeList ({ diffOf, onStage, onUnstage, onDiscard, onSelect }) {
  const element = el('div', { class: 'change-list' })
  const selected = new Set()
  /** Diffs that are unfolded, by kind and path. */
  const open = new Set()
  /** What was drawn of them last: it stays until there is something else to show. */
  const drawn = new Map()
  let status = { files: [], truncated: false }

  function show (next) {
    status = next
    const paths = new Set(status.files.map(({ path }) => path))
    for (const path of selected) if (!paths.has(path)) selected.delete(path)
    draw()
  }

  function draw () {
    const place = placeOf(document.activeElement)
    const { files, truncated } = status
    const groups = [
      { kind: 'unstaged', title: 'In conflict', files: files.filter(({ conflict }) => conflict) },
      { kind: 'staged', title: 'Staged', files: files.filter(({ staged, conflict }) => staged && !conflict) },
      { kind: 'unstaged', title: 'Changes', files: files.filter(({ unstaged, untracked, conflict }) => (unstaged || untracked) && !conflict) }
    ].filter((group) => group.files.length > 0)
    element.replaceChildren(
      ...groups.map(groupOf),
      ...(files.length === 0 ? [el('p', { class: 'small' }, 'No changes.')] : []),
      ...(truncated ? [el('p', { class: 'small' }, `Only the first ${files.length} files are listed.`)] : []))
    if (place !== null && !element.contains(document.activeElement)) element.querySelector(`[data-place="${CSS.escape(place)}"]`)?.focus()
  }

  const placeOf = (control) => element.contains(control) ? control.dataset.place ?? null : null

  function groupOf ({ kind, title, files }) {
    const paths = files.map(({ path }) => path)
    const all = kind === 'staged'
      ? button(`${kind}-all`, 'Unstage all', () => onUnstage(paths))
      : button(`${kind}-all`, title === 'Changes' ? 'Stage all' : 'Mark all as resolved', () => onStage(paths))
    return el('section', { 'aria-label': title },
      el('div', { class: 'group' }, el('h3', {}, `${title} `, el('span', { class: 'badge' }, String(files.length))), all),
      el('ul', {}, ...files.map((file) => row(file, kind))))
  }

  function button (place, text, onclick, label) {
    return el('button', { type: 'button', class: 'quiet', onclick, 'data-place': place, 'aria-label': label }, text)
  }

  function row (file, kind) {
    const { path, old_path: oldPath, status: letter, untracked, conflict, binary, additions, deletions } = file
    const name = visible(path)
    const id = `${kind} ${path}`
    const box = el('div', { class: 'detail', hidden: true })
    const opener = el('button', { type: 'button', class: 'open', title: name, 'aria-expanded': 'false', 'data-place': `open ${id}`, onclick: () => toggle() },
      el('bdi', { class: 'name' }, oldPath ? `${visible(oldPath)} → ${name}` : name))
    const pick = el('input', {
      type: 'checkbox',
      checked: selected.has(path),
      'aria-label': `Select ${name}`,
      'data-place': `pick ${id}`,
      onchange: () => {
        if (pick.checked) selected.add(path)
        else selected.delete(path)
        for (const other of element.querySelectorAll('input')) other.checked = selected.has(other.dataset.place.replace(/^pick (?:un)?staged /, ''))
        onSelect()
      }
    })
    const deeds = kind === 'staged'
      ? [button(`unstage ${id}`, 'Unstage', () => onUnstage([path]), `Unstage ${name}`)]
      : [button(`stage ${id}`, conflict ? 'Resolved' : 'Stage', () => onStage([path]), `${conflict ? 'Mark as resolved' : 'Stage'} ${name}`),
          button(`discard ${id}`, 'Discard', () => onDiscard([file]), `Discard the changes of ${name}`)]
    const toggle = (isOpen = !open.has(id)) => unfold(isOpen, { id, path, kind, box, opener })
    if (open.has(id)) toggle(true)
    return el('li', {}, el('div', { class: 'change' },
      pick,
      el('abbr', { class: `letter ${untracked ? 'new' : letter}`, title: states[letter] ?? letter }, untracked ? 'N' : letter),
      opener,
      el('span', { class: 'lines', 'aria-label': `${counted(additions, 'line')} added, ${deletions} removed` },
        ...(binary ? [] : [el('span', { class: 'added' }, `+${additions}`), ' ', el('span', { class: 'removed' }, `−${deletions}`)])),
      el('span', { class: 'deeds' }, ...deeds)), box)
  }

  async function unfold (isOpen, { id, path, kind, box, opener }) {
    opener.setAttribute('aria-expanded', String(isOpen))
    box.hidden = !isOpen
    if (isOpen) open.add(id)
    else open.delete(id)
    if (!isOpen) return
    const before = drawn.get(id)
    box.replaceChildren(before?.node ?? el('p', { class: 'small' }, 'Comparing …'))
    try {
      const diff = await diffOf(path, kind)
      const key = JSON.stringify(diff)
      if (key === before?.key || !open.has(id)) return
      const node = fileDiff(diff)
      drawn.set(id, { key, node })
      box.replaceChildren(node)
    } catch (error) {
      box.replaceChildren(el('p', { class: 'line wrong' }, error.message))
    }
  }

  return {
    element,
    show,
    selected: () => [...selected],
    clearSelection () {
      selected.clear()
      open.clear()
      drawn.clear()
      draw()
    }
  }
}
