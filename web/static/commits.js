import { get } from './api.js'
import { diffView } from './diff-view.js'
import { el } from './dom.js'
import { foldedList } from './folded-list.js'
import { createDesk, createLine } from './line.js'
import { counted, timeWords, visible, visibleText } from './names.js'

const pageSize = 20

/** The last commits of the branch, each with what it changed, and what was put aside. */
export function createCommits () {
  let sessionId = null
  let limit = pageSize
  /** What is shown stays what it is when the list is fetched again: opened, and under the pointer. */
  let shown = new Map()
  const log = foldedList({ title: 'Commits', fetch: fetchLog, none: 'No commits yet.' })
  const stashes = foldedList({ title: 'Put aside', fetch: fetchStashes, none: 'Nothing is put aside.' })

  async function fetchLog () {
    const { commits, next_offset: next } = await get('/api/git/log', { session_id: sessionId, limit })
    const rows = new Map(commits.map((commit) => {
      const key = JSON.stringify([commit.sha, commit.refs])
      return [key, shown.get(key) ?? commitItem(commit)]
    }))
    shown = rows
    const items = [...rows.values()]
    if (next !== null && limit < 200) {
      items.push(el('li', {}, el('button', {
        type: 'button',
        class: 'quiet',
        onclick () {
          limit = Math.min(200, limit + pageSize)
          log.refresh()
        }
      }, 'Earlier commits')))
    }
    return items
  }

  function commitItem ({ sha, author, subject, committed_at: atS, refs }) {
    const box = el('div', { class: 'detail', hidden: true })
    const line = createLine()
    const opener = el('button', { type: 'button', class: 'open', 'aria-expanded': 'false', onclick: toggle }, el('bdi', { class: 'name' }, visible(subject)))
    const item = el('li', {},
      opener,
      el('p', { class: 'small' }, el('code', {}, sha.slice(0, 7)), ` · ${visible(author)} · ${timeWords(atS)}`, ...refs.map((ref) => el('span', { class: 'badge' }, visible(ref)))),
      line.element, box)
    const desk = createDesk({ root: item, line })

    async function toggle () {
      if (!box.hidden) return set(false)
      await desk.act('Reading …', async () => {
        const detail = await get('/api/git/show', { session_id: sessionId, ref: sha })
        const { commit, files, diff, too_large: isTooLarge, truncated } = detail
        box.replaceChildren(
          ...(commit.body.trim() === '' ? [] : [el('p', { class: 'small body' }, visibleText(commit.body.trim()))]),
          el('p', { class: 'small' }, `${counted(files.length, 'file')}${truncated ? ' and more' : ''}`),
          ...(isTooLarge ? [el('p', { class: 'small' }, 'The changes are too large to be shown here.')] : diff === '' ? [] : [diffView(diff)]))
        set(true)
      })
    }

    function set (isOpen) {
      box.hidden = !isOpen
      opener.setAttribute('aria-expanded', String(isOpen))
    }
    return item
  }

  async function fetchStashes () {
    const { stashes: all } = await get('/api/git/stashes', { session_id: sessionId })
    return all.map(({ ref, message, created_at: atS }) => el('li', {},
      el('p', { class: 'lead' }, el('bdi', {}, visible(message))),
      el('p', { class: 'small' }, `${visible(ref)} · ${timeWords(atS)}`)))
  }

  return {
    element: el('div', { class: 'records' }, log.element, stashes.element),
    refresh () {
      log.refresh()
      stashes.refresh()
    },
    /** @param {string | null} id the session whose folder it is about */
    show (id) {
      sessionId = id
      limit = pageSize
      shown = new Map()
      for (const one of [log, stashes]) one.reset()
    }
  }
}
