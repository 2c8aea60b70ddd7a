import { get, post, refresher, withQuery } from './api.js'
import { ask } from './dialogs.js'
import { announce, byId, el } from './dom.js'
import { createEntryList } from './entry-list.js'
import { createFileView } from './file-view.js'
import { createDesk, createLine } from './line.js'
import { menuButton } from './menu.js'
import { baseName, counted, folderOf, joined, visible } from './names.js'
import { createRecords } from './records.js'
import { openSource } from './sources.js'
import { createTransfers } from './transfers.js'
import { takeDrops } from './upload.js'

const archives = /\.(?:zip|tar|tgz|tar\.gz)$/i
/** What a delete answers when the trash cannot take something. */
const noTrash = new Set(['other_disk', 'trash_blocked'])
const longestName = 255

/**
 * The files of a session's folder: a list to walk through, one file at a time, and what can be done with them.
 * @param {object} options
 * @param {() => void} options.onChanged something was changed here
 */
export function createFiles ({ onChanged }) {
  const root = byId('files')
  const line = createLine()
  const crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Folder' })
  const empty = el('p', { class: 'small', hidden: true }, 'Nothing in this folder. Files can be dropped here.')
  const loading = el('p', { class: 'small loading', hidden: true }, 'Loading …')
  const picker = byId('upload-files')
  const archivePicker = byId('upload-archive')
  /** By session, the folder that was shown last. */
  const folders = new Map()
  let sessionId = null
  let folder = '.'
  let signature = null
  let source = null
  /** The session and folder that the stream tells of. */
  let attended = null
  let isAttending = false
  let isStale = false

  const list = createEntryList({ onOpen: openEntry, itemsFor, isUnsaved: (path) => view.isUnsaved(sessionId, path) })
  const browser = el('div', { class: 'browser' })
  const desk = createDesk({ root: browser, line, onIdle: () => { if (isStale) refresh() } })
  const transfers = createTransfers({ onDone: settled })
  const view = createFileView({ onBack: back, onSaved: settled })
  const records = createRecords({ onRestored: settled })
  const tools = el('div', { class: 'tools' },
    el('button', { type: 'button', class: 'quiet', onclick: () => picker.click() }, 'Upload'),
    el('button', { type: 'button', class: 'quiet', onclick: newFile }, 'New file'),
    el('button', { type: 'button', class: 'quiet', onclick: newFolder }, 'New folder'),
    menuButton({
      label: 'More for this folder',
      items: () => [
        zipOf(folder),
        { label: 'Upload and extract an archive …', run: () => archivePicker.click() },
        { label: 'Refresh', run: refresh }
      ]
    }))
  browser.append(crumbs, tools, line.element, transfers.element, ...list.elements, empty, loading, records.element)
  root.append(browser, view.element)

  const here = (path) => ({ session_id: sessionId, path })
  const zipOf = (path) => ({ label: 'Download as zip', href: withQuery('/api/folder/download', here(path)) })

  const refresh = refresher(async () => {
    if (sessionId === null) return
    // Rows that come in the middle of something could be pressed.
    if (desk.isBusy()) {
      isStale = true
      return
    }
    isStale = false
    await load(folder)
  })

  async function load (path) {
    const asked = sessionId
    try {
      const answer = await get('/api/list', { session_id: asked, path })
      if (asked !== sessionId || path !== folder) return
      signature = answer.signature
      list.show(answer.entries, true)
      empty.hidden = answer.entries.length > 0
      loading.hidden = true
      view.heard(answer.entries)
    } catch (error) {
      if (asked !== sessionId || path !== folder) return
      loading.hidden = true
      if (error.status === 404 && path !== '.') {
        line.tell(`The folder ${visible(path)} is not there any more.`)
        return go(folderOf(path))
      }
      line.tell(error.message)
    }
  }

  function go (path) {
    folder = path
    folders.set(sessionId, folder)
    signature = null
    list.show([], false)
    empty.hidden = true
    loading.hidden = false
    drawCrumbs()
    listen()
    refresh()
  }

  function drawCrumbs () {
    const parts = folder === '.' ? [] : folder.split('/')
    const steps = ['Workspace', ...parts].map((name, depth) => {
      const path = depth === 0 ? '.' : parts.slice(0, depth).join('/')
      const isHere = depth === parts.length
      const step = el('button', { type: 'button', class: 'quiet', title: visible(name), onclick: () => enter(path), ...(isHere ? { 'aria-current': 'location' } : {}) }, el('bdi', {}, visible(name)))
      return el('li', {}, step)
    })
    crumbs.replaceChildren(el('ol', {}, ...steps))
    crumbs.firstElementChild.scrollLeft = crumbs.firstElementChild.scrollWidth
  }

  /** By hand, as opposed to a folder that has gone: then the focus goes along. */
  function enter (path) {
    line.inform('')
    go(path)
    crumbs.querySelector('[aria-current]').focus()
    announce(`Folder ${path === '.' ? 'Workspace' : visible(baseName(path))}`)
  }

  function openEntry (entry) {
    if (entry.is_dir) return enter(entry.path)
    browser.hidden = true
    view.open(sessionId, entry)
  }

  function back (path) {
    browser.hidden = false
    list.draw()
    if (path !== null && !list.focus(path)) crumbs.querySelector('[aria-current]')?.focus()
  }

  async function settled () {
    onChanged()
    await refresh()
  }

  /** The stream tells of the folder that is shown, or of the one that the file that is shown lies in. */
  function listen () {
    const wanted = isAttending && sessionId !== null ? `${sessionId}\n${folder}` : null
    if (wanted === attended && source?.isOver() !== true) return
    source?.close()
    source = null
    attended = wanted
    if (wanted === null) return
    const hear = (event, data) => { if (JSON.parse(data).signature !== signature) refresh() }
    source = openSource({ kind: 'folder', url: withQuery('/api/workspace/events', here(folder)), onFrame: hear })
  }

  /** Asks, does it, and shows what has become of it. `otherwise`: what to do instead of showing an error; null shows it. */
  async function act (words, path, body, then = () => {}, otherwise = () => null) {
    const from = sessionId
    let instead = null
    await desk.act(words, async () => {
      try {
        const answer = await post(path, { session_id: from, ...body })
        if (from === sessionId) then(answer)
      } catch (error) {
        if (from !== sessionId) return
        instead = otherwise(error)
        if (instead === null) throw error
      }
    })
    if (instead === null) await settled()
    else await instead()
  }

  const askName = (title, value, confirm, label = 'Name') => ask({ title, value, confirm, label, maxLength: longestName })

  async function newFile () {
    const name = await askName('New file', '', 'Create')
    if (!name) return
    const path = joined(folder, name)
    await act('Creating …', '/api/file/create', { path, content: '' }, ({ path: made }) => { openEntry({ path: made ?? path, name, is_dir: false, type: 'file', size: 0 }) })
  }

  async function newFolder () {
    const name = await askName('New folder', '', 'Create')
    if (name) await act('Creating …', '/api/file/create-dir', { path: joined(folder, name) })
  }

  async function rename ({ path, name }) {
    const next = await askName(`Rename ${visible(name)}`, name, 'Rename')
    if (next && next !== name) await act('Renaming …', '/api/file/rename', { path, new_name: next })
  }

  async function move ({ path, name }) {
    const next = await ask({ title: `Move ${visible(name)}`, text: 'Folder in the workspace, . for its top', value: folderOf(path), label: 'To the folder', maxLength: 4096, confirm: 'Move' })
    if (next && next !== folderOf(path)) await act('Moving …', '/api/file/move', { path, dest_dir: next }, () => line.inform(`Moved to ${visible(next)}`))
  }

  async function remove ({ path, name, is_dir: isFolder, type }) {
    const isTree = isFolder && type !== 'symlink'
    if (isTree && await ask({ title: `Delete the folder ${visible(name)}?`, text: 'Everything in it goes with it. It can be restored for a while.', confirm: 'Delete', isDangerous: true }) === null) return
    await act('Deleting …', '/api/file/delete', { path, recursive: isTree }, ({ trash_id: id }) => {
      view.forget(sessionId, path)
      const undo = { label: 'Undo', run: () => restore(id, name) }
      line.inform(`${visible(name)} was deleted.`, id ? undo : undefined)
      records.refresh()
    }, ({ code }) => noTrash.has(code) ? () => removeForGood({ path, name, isTree }) : null)
  }

  async function removeForGood ({ path, name, isTree }) {
    const text = 'It cannot be put into the trash, so it cannot be restored.'
    if (await ask({ title: `Delete ${visible(name)} for good?`, text, confirm: 'Delete for good', isDangerous: true }) === null) return
    await act('Deleting …', '/api/file/delete', { path, recursive: isTree, permanent: true }, () => {
      view.forget(sessionId, path)
      line.inform(`${visible(name)} was deleted for good.`)
    })
  }

  async function restore (id, name) {
    await act('Restoring …', '/api/trash/restore', { id }, ({ path }) => {
      line.inform(`${visible(baseName(path ?? name))} is back.`)
      records.refresh()
    })
  }

  async function extract ({ path, name }) {
    await act('Extracting …', '/api/file/extract', { path }, ({ extracted, dest, skipped = 0 }) => {
      line.inform(`${visible(name)}: ${counted(extracted, 'file')} in ${visible(dest)}${skipped > 0 ? `, ${skipped} left out` : ''}.`)
    })
  }

  function itemsFor (entry) {
    const { path, is_dir: isFolder, target_outside_workspace: isOutside = false } = entry
    return [
      ...(isOutside ? [] : [isFolder ? zipOf(path) : { label: 'Download', href: withQuery('/api/file/raw', { ...here(path), download: 1 }) }]),
      ...(!isFolder && !isOutside && archives.test(path) ? [{ label: 'Extract here', run: () => extract(entry) }] : []),
      { label: 'Rename …', run: () => rename(entry) },
      { label: 'Move …', run: () => move(entry) },
      { label: 'Delete', run: () => remove(entry), isDangerous: true }
    ]
  }

  function bring (files, isArchive = false) {
    if (sessionId === null) return
    line.inform('')
    if (isArchive && !archives.test(files[0].name)) return line.tell('Archives are .zip, .tar, .tar.gz and .tgz files.')
    for (const file of files) transfers.add({ path: isArchive ? '/api/upload/extract' : '/api/workspace/upload', fields: here(folder), file, isArchive })
    announce(`Uploading ${counted(files.length, 'file')}`)
  }

  for (const [input, isArchive] of [[picker, false], [archivePicker, true]]) {
    input.addEventListener('change', () => {
      const files = [...input.files]
      input.value = ''
      if (files.length > 0) bring(files, isArchive)
    })
  }
  takeDrops(root, { isWanted: () => sessionId !== null && !browser.hidden, onFiles: bring })

  return {
    refresh,
    /** @param {string | null} id the session whose files are shown */
    show (id) {
      if (id === sessionId) return
      sessionId = id
      view.close()
      back(null)
      line.inform('')
      records.show(id)
      transfers.show(id)
      if (id === null) listen()
      else go(folders.get(id) ?? '.')
    },
    /** @param {boolean} attending whether live news of the folder is wanted */
    attend (attending) {
      isAttending = attending
      listen()
    },
    isUnsaved: () => view.isUnsaved()
  }
}
