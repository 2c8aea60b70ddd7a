import { get, post, refresher } from './api.js'
import { createBranches } from './branches.js'
import { createChangeList } from './change-list.js'
import { createCommits } from './commits.js'
import { ask } from './dialogs.js'
import { byId, el } from './dom.js'
import { createDesk, createLine } from './line.js'
import { counted, visible } from './names.js'

/**
 * What git says of a session's folder: which files differ, and what can be done about it.
 * @param {object} options
 * @param {(info: object | null) => void} options.onInfo the counts, null where there is no repository
 * @param {() => void} options.onFilesChanged files were changed here
 */
export function createChanges ({ onInfo, onFilesChanged }) {
  const root = byId('changes')
  const line = createLine()
  let sessionId = null
  let status = null
  let isAttending = false
  let isStale = false
  /** By session, the messages that are being written. */
  const drafts = new Map()

  const list = createChangeList({
    diffOf: async (path, kind) => (await get('/api/git/diff', { session_id: sessionId, path, kind })).diff,
    onStage: (paths) => change('Staging …', '/api/git/stage', { paths }),
    onUnstage: (paths) => change('Unstaging …', '/api/git/unstage', { paths }),
    onDiscard: discard,
    onSelect: drawCommit
  })
  const branches = createBranches({ act, onSaid: line.inform, onMoved: onFilesChanged })
  const commits = createCommits()
  const message = el('textarea', { rows: 2, placeholder: 'What this commit does', 'aria-label': 'Commit message', oninput: typed })
  const write = el('button', { type: 'button', class: 'quiet', onclick: writeMessage }, 'Write it for me')
  const commit = el('button', { type: 'submit', class: 'primary' }, 'Commit')
  const box = el('form', { class: 'commit', onsubmit: (event) => { event.preventDefault(); submit() } }, message, el('div', { class: 'tools' }, commit, write))
  const work = el('div', {}, branches.element, line.element, list.element, box)
  const desk = createDesk({ root: work, line, onIdle: settle })
  const boxLine = createLine()
  const boxDesk = createDesk({ root: box, line: boxLine, onIdle: drawCommit })
  box.append(boxLine.element)
  root.append(work, commits.element)

  const look = refresher(async () => {
    if (sessionId === null) return
    const asked = sessionId
    const { git } = await get('/api/git-info', { session_id: asked }).catch((error) => {
      if (error.status === 0) throw error
      return { git: null }
    })
    if (asked !== sessionId) return
    onInfo(git?.is_git === true ? git : null)
    if (isAttending && git !== null) await refresh()
  })

  async function refresh () {
    if (desk.isBusy()) {
      isStale = true
      return
    }
    isStale = false
    const asked = sessionId
    try {
      const { git } = await get('/api/git/status', { session_id: asked })
      if (asked !== sessionId || desk.isBusy()) return
      draw(git)
      commits.refresh()
      branches.refresh()
    } catch (error) {
      if (asked === sessionId) line.tell(error.message)
    }
  }

  function draw (next) {
    if (next?.is_git !== true) return
    status = next
    branches.show(status)
    list.show(status)
    drawCommit()
  }

  function settle () {
    if (status !== null) draw(status)
    if (isStale) look()
  }

  /**
   * Does what changes the repository, and takes the status it answers with. Resolves with null when it was not done, or
   * another session is shown by then, and with `{ refused }` when it was not for the `expected` reason, which the caller
   * deals with. `onDone` hears of a success in any case.
   */
  async function act (words, path, body = {}, { expected = null, onDone = () => {} } = {}) {
    const from = sessionId
    let answer = null
    const isDone = await desk.act(words, async () => {
      try {
        answer = await post(path, { session_id: from, ...body })
      } catch (error) {
        if (from !== sessionId) return
        if (expected === null || error.body?.code !== expected) throw error
        answer = { refused: expected }
        return
      }
      onDone()
      if (from !== sessionId) return
      const next = answer.git ?? answer.status ?? null
      if (next === null) isStale = true
      else status = next
    })
    if (isDone) look()
    return isDone && from === sessionId ? answer : null
  }

  async function change (words, path, body) {
    await act(words, path, body)
  }

  async function discard (files) {
    const untracked = files.filter(({ untracked: isNew }) => isNew)
    const what = files.length === 1 ? visible(files[0].path) : counted(files.length, 'file')
    const text = untracked.length === 0
      ? `${what}: what is not staged goes back to what it was. This cannot be undone here.`
      : untracked.length === files.length ? `${what}: not known to git, so it is deleted for good.` : `${what}: ${untracked.length} of them not known to git are deleted for good.`
    if (await ask({ title: 'Discard changes?', text, confirm: 'Discard', isDangerous: true }) === null) return
    const answer = await act('Discarding …', '/api/git/discard', { paths: files.map(({ path }) => path), delete_untracked: untracked.length > 0 })
    if (answer !== null) onFilesChanged()
  }

  function typed () {
    drafts.set(sessionId, message.value)
    drawCommit()
  }

  function drawCommit () {
    const selected = list.selected()
    const staged = status?.totals?.staged ?? 0
    const isBusy = desk.isBusy() || boxDesk.isBusy()
    commit.textContent = selected.length > 0 ? `Commit ${selected.length} selected` : staged > 0 ? `Commit ${staged} staged` : 'Commit'
    const isNothing = selected.length === 0 && staged === 0
    commit.disabled = isBusy || isNothing || message.value.trim() === ''
    write.disabled = isBusy || isNothing
    box.hidden = (status?.files?.length ?? 0) === 0 && message.value === ''
  }

  async function submit () {
    const paths = list.selected()
    const text = message.value.trim()
    if (text === '') return
    const from = sessionId
    const options = { onDone: () => { drafts.delete(from) } }
    const answer = paths.length > 0
      ? await act('Committing …', '/api/git/commit-selected', { message: text, paths }, options)
      : await act('Committing …', '/api/git/commit', { message: text }, options)
    if (answer === null) return
    message.value = ''
    list.clearSelection()
    drawCommit()
    line.inform(`Committed as ${answer.commit.slice(0, 7)}.`)
  }

  /** A model may take its time; only the box waits for it. */
  async function writeMessage () {
    const paths = list.selected()
    const from = sessionId
    const before = message.value
    await boxDesk.act('Reading the changes and writing …', async () => {
      const body = { session_id: from, ...(paths.length > 0 ? { paths } : {}) }
      const { message: text, truncated, source } = await post(paths.length > 0 ? '/api/git/commit-message-selected' : '/api/git/commit-message', body)
      drafts.set(from, text)
      if (from !== sessionId) return
      message.value = text
      const notes = [source === 'summary' ? 'Without a model, from the names of the files.' : '', truncated ? 'The changes are long: not all of them were read.' : ''].filter((note) => note !== '').join(' ')
      const undo = { label: 'Take back', run: () => { message.value = before; typed(); boxLine.inform('') } }
      boxLine.inform(notes, before.trim() === '' ? undefined : undo)
    })
    if (from === sessionId) message.focus()
  }

  return {
    look,
    /** @param {string | null} id the session whose folder is looked at */
    show (id) {
      if (id === sessionId) return
      sessionId = id
      status = null
      onInfo(null)
      line.inform('')
      boxLine.inform('')
      message.value = drafts.get(id) ?? ''
      list.show({ files: [], truncated: false })
      list.clearSelection()
      commits.show(id)
      branches.reset(id)
      drawCommit()
      look()
    },
    /** @param {boolean} attending whether it is looked at */
    attend (attending) {
      const begins = attending && !isAttending
      isAttending = attending
      if (begins) look()
    }
  }
}
