import { get, post } from './api.js'
import { ask } from './dialogs.js'
import { diffView } from './diff-view.js'
import { el } from './dom.js'
import { foldedList } from './folded-list.js'
import { createDesk, createLine } from './line.js'
import { counted, sizeWords, timeWords, visible } from './names.js'

/**
 * What can be brought back: the state of the folder before each turn that wrote to it, and what was deleted. Both are
 * fetched when they are unfolded.
 * @param {object} options
 * @param {() => void} options.onRestored
 */
export function createRecords ({ onRestored }) {
  let sessionId = null
  const history = foldedList({ title: 'History', fetch: fetchHistory, none: 'Before a turn writes its first file, the folder is noted here. Nothing yet.' })
  const trash = foldedList({ title: 'Deleted', fetch: fetchTrash, none: 'What is deleted here can be brought back for a while.' })

  async function fetchHistory () {
    const { checkpoints } = await get('/api/rollback/list', { session_id: sessionId })
    return checkpoints.map(checkpointItem)
  }

  function checkpointItem ({ id, kind, state, reason, title, created_at: atS, files_count: count }) {
    const isReady = state === 'ready'
    const what = el('div', { class: 'detail', hidden: true })
    const line = createLine()
    const compare = el('button', { type: 'button', class: 'quiet', 'aria-expanded': 'false', onclick: () => toggleDifference(id, compare, what, desk) }, 'What changed since')
    const item = el('li', { class: isReady ? '' : 'skipped' },
      el('p', { class: 'lead' }, kind === 'restore' ? 'Before a restore' : `Before “${visible(title ?? '')}”`),
      el('p', { class: 'small' }, [timeWords(atS), ...(typeof count === 'number' ? [counted(count, 'file')] : [])].join(' · ')),
      reason ? el('p', { class: 'small' }, isReady ? visible(reason) : `Not kept: ${visible(reason)}`) : null,
      isReady ? el('div', { class: 'tools' }, compare, el('button', { type: 'button', class: 'quiet', onclick: () => restore(id, title, desk, line) }, 'Restore')) : null,
      line.element, what)
    const desk = createDesk({ root: item, line })
    return item
  }

  async function toggleDifference (id, button, box, desk) {
    if (!box.hidden) {
      box.hidden = true
      button.setAttribute('aria-expanded', 'false')
      return
    }
    await desk.act('Comparing …', async () => {
      const { diff, files_changed: files, total_changes: total, truncated } = await get('/api/rollback/diff', { session_id: sessionId, checkpoint: id })
      const names = files.map(({ file, status }) => el('li', {}, el('span', { class: 'small' }, status), ' ', el('bdi', {}, visible(file))))
      box.replaceChildren(
        el('p', { class: 'small' }, total === 0 ? 'Nothing has changed since.' : `${counted(total, 'file')} changed since${truncated ? '; not everything is shown' : ''}.`),
        el('ul', { class: 'names' }, ...names),
        ...(diff === '' ? [] : [diffView(diff)]))
      box.hidden = false
      button.setAttribute('aria-expanded', 'true')
    })
  }

  async function restore (id, title, desk, line) {
    const answer = await ask({
      title: 'Put the folder back?',
      text: `Its files become what they were before “${visible(title ?? '')}”. What is there now is noted first, so that this can be undone.`,
      confirm: 'Put back',
      isDangerous: true
    })
    if (answer === null) return
    const from = sessionId
    let words = ''
    const isDone = await desk.act('Putting back …', async () => {
      const { files_restored_count: count = 0, errors = [] } = await post('/api/rollback/restore', { session_id: sessionId, checkpoint: id })
      words = [`${counted(count, 'file')} put back.`, ...errors.map((error) => visible(typeof error === 'string' ? error : `${error.file ?? ''}: ${error.error ?? ''}`))].join(' ')
    })
    if (!isDone || from !== sessionId) return
    onRestored()
    await history.refresh()
    history.line.inform(words)
  }

  async function fetchTrash () {
    const { items } = await get('/api/trash', { session_id: sessionId })
    return items.map(({ id, path, size, is_dir: isFolder, deleted_at: atS }) => {
      const item = el('li', {},
        el('p', { class: 'lead' }, el('bdi', {}, visible(path))),
        el('p', { class: 'small' }, [isFolder ? 'folder' : sizeWords(size ?? 0), `deleted ${timeWords(atS)}`].join(' · ')),
        el('div', { class: 'tools' }, el('button', { type: 'button', class: 'quiet', onclick: () => bringBack(id, item) }, 'Restore')))
      return item
    })
  }

  async function bringBack (id, item) {
    const from = sessionId
    let words = ''
    const isDone = await createDesk({ root: item, line: trash.line }).act('Restoring …', async () => {
      const { path } = await post('/api/trash/restore', { session_id: sessionId, id })
      words = `${visible(path)} is back.`
    })
    if (!isDone || from !== sessionId) return
    onRestored()
    await trash.refresh()
    trash.line.inform(words)
  }

  return {
    element: el('div', { class: 'records' }, history.element, trash.element),
    refresh () {
      history.refresh()
      trash.refresh()
    },
    /** @param {string | null} id the session whose folder it is about */
    show (id) {
      sessionId = id
      for (const one of [history, trash]) one.reset()
    }
  }
}
