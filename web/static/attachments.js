/* global URL */
import { announce, byId, el } from './dom.js'
import { counted, sizeWords, visible } from './names.js'
import { filesOf, takeDrops, upload } from './upload.js'

const most = 20

/**
 * The files that go with the next message of each session, above the box. They are uploaded as soon as they are chosen,
 * one after the other: a browser has few connections. They are kept as long as the page lives.
 * @param {object} options
 * @param {() => Promise<string>} options.ensure id of the open session, which is made when there is none
 * @param {(text: string) => void} options.onNote
 */
export function createAttachments ({ ensure, onNote }) {
  const list = byId('attachments')
  const input = byId('attach-files')
  /** By session: `{ file, name, state, result, item, facts, bar, retry, transfer, preview }`. */
  const bySession = new Map()
  let sessionId = null
  let queue = Promise.resolve()

  const here = () => bySession.get(sessionId) ?? []

  async function add (files) {
    if (files.length === 0 || byId('composer').hidden) return
    onNote('')
    try {
      const id = await ensure()
      const known = bySession.get(id) ?? []
      const free = Math.max(0, most - known.length)
      if (files.length > free) onNote(`At most ${most} files go with a message; ${counted(files.length - free, 'file')} left out.`)
      const added = files.slice(0, free).map((file) => makeChip(id, file))
      bySession.set(id, [...known, ...added])
      if (id === sessionId) show(id)
      for (const one of added) send(id, one)
    } catch (error) {
      onNote(error.message)
    }
  }

  function makeChip (id, file) {
    const preview = /^image\/(?!svg)/.test(file.type) ? URL.createObjectURL(file) : null
    const one = { file, name: file.name, state: 'waiting', result: null, transfer: null, preview }
    one.label = el('bdi', {}, visible(file.name))
    one.facts = el('span', { class: 'small' })
    one.bar = el('progress', { max: 1, value: 0, 'aria-label': `Upload of ${visible(file.name)}` })
    one.retry = el('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => send(id, one) }, 'Try again')
    one.item = el('li', { class: 'chip' },
      preview === null ? null : el('img', { src: preview, alt: '', onerror: (event) => event.target.remove() }),
      one.label, one.facts, one.bar, one.retry,
      el('button', { type: 'button', class: 'quiet remove', 'aria-label': `Remove ${visible(file.name)}`, onclick: () => remove(id, one) }, '×'))
    draw(one)
    return one
  }

  function draw (one, problem = '') {
    one.item.className = `chip ${one.state}`
    one.facts.textContent = one.state === 'failed' ? problem : sizeWords(one.file.size)
    one.facts.title = problem
    one.bar.hidden = one.state !== 'waiting' && one.state !== 'uploading'
    one.retry.hidden = one.state !== 'failed'
  }

  function send (id, one) {
    one.state = 'waiting'
    one.bar.value = 0
    draw(one)
    one.settled = queue = queue.then(() => transfer(id, one))
  }

  async function transfer (id, one) {
    if (one.state === 'removed') return
    one.state = 'uploading'
    one.transfer = upload({ path: '/api/upload', fields: { session_id: id }, file: one.file, onProgress: (share) => { one.bar.value = share } })
    try {
      one.result = await one.transfer.answer
      if (one.state === 'removed') return
      one.state = 'ready'
      one.label.textContent = visible(one.result.filename)
      draw(one)
      announce(`${visible(one.result.filename)} is attached`)
    } catch (error) {
      if (one.state === 'removed') return
      one.state = 'failed'
      draw(one, error.message)
      announce(`${visible(one.name)} could not be uploaded: ${error.message}`)
    }
  }

  function remove (id, one) {
    const hadFocus = one.item.contains(one.item.ownerDocument.activeElement)
    one.state = 'removed'
    one.transfer?.abort()
    drop(id, [one])
    if (hadFocus) byId('attach').focus()
  }

  function drop (id, gone) {
    for (const one of gone) if (one.preview !== null) URL.revokeObjectURL(one.preview)
    bySession.set(id, (bySession.get(id) ?? []).filter((one) => !gone.includes(one)))
    show(sessionId)
  }

  function show (id) {
    sessionId = id
    const items = here().map(({ item }) => item)
    list.replaceChildren(...items)
    list.hidden = items.length === 0
  }

  byId('attach').addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    const files = [...input.files]
    // The same file may be chosen again.
    input.value = ''
    add(files)
  })
  byId('message').addEventListener('paste', (event) => {
    // A word processor adds a picture of the text it copies.
    if (event.clipboardData === null || event.clipboardData.types.includes('text/plain')) return
    const files = filesOf(event.clipboardData)
    if (files.length === 0) return
    event.preventDefault()
    add(files)
  })
  takeDrops(byId('conversation'), { isWanted: () => !byId('composer').hidden, onFiles: add })

  return {
    show,
    count: () => here().length,
    /**
     * Waits until what is attached to the open session has been uploaded.
     * @returns {Promise<{ sessionId: string | null, files: object[], attachments: object[] } | null>} null when it cannot go
     */
    async ready () {
      const id = sessionId
      const waiting = () => (bySession.get(id) ?? []).filter(({ state }) => state === 'waiting' || state === 'uploading')
      for (let [next] = waiting(); next !== undefined; [next] = waiting()) await next.settled
      const files = bySession.get(id) ?? []
      if (id !== sessionId) return null
      if (files.some(({ state }) => state === 'failed')) {
        onNote('A file could not be uploaded. Try again, or remove it.')
        return null
      }
      const attachments = files.map(({ result }) => ({ name: result.filename, path: result.path, mime: result.mime, size: result.size, is_image: result.is_image }))
      return { sessionId: id, files, attachments }
    },
    /** They have gone with a message. */
    sent ({ sessionId: id, files }) { if (id !== null) drop(id, files) }
  }
}
