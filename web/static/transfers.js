import { announce, el } from './dom.js'
import { counted, sizeWords, visible } from './names.js'
import { upload } from './upload.js'

/**
 * What is being brought into the workspace, one after the other; what failed stays until it is put away or tried again.
 * @param {object} options
 * @param {() => void} options.onDone one has arrived
 */
export function createTransfers ({ onDone }) {
  const list = el('ul', { class: 'transfers', 'aria-label': 'Uploads', hidden: true })
  const all = new Set()
  let sessionId = null
  let queue = Promise.resolve()

  function draw () {
    const items = [...all].filter(({ fields }) => fields.session_id === sessionId).map(({ item }) => item)
    list.replaceChildren(...items)
    list.hidden = items.length === 0
  }

  function add (options) {
    const name = visible(options.file.name)
    const one = { ...options, name, transfer: null, isGone: false }
    one.words = el('span', { class: 'small' }, sizeWords(options.file.size))
    one.bar = el('progress', { max: 1, value: 0, 'aria-label': `Upload of ${name}` })
    one.retry = el('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => enqueue(one) }, 'Try again')
    one.item = el('li', {}, el('bdi', {}, name), one.words, one.bar, one.retry,
      el('button', { type: 'button', class: 'quiet remove', 'aria-label': `Put ${name} away`, onclick: () => putAway(one) }, '×'))
    all.add(one)
    draw()
    enqueue(one)
  }

  function enqueue (one) {
    one.bar.hidden = false
    one.bar.value = 0
    one.retry.hidden = true
    one.item.className = ''
    queue = queue.then(() => send(one))
  }

  async function send (one) {
    if (one.isGone) return
    one.transfer = upload({
      path: one.path,
      fields: one.fields,
      file: one.file,
      onProgress (share) {
        one.bar.value = share
        if (share === 1) one.words.textContent = one.isArchive ? 'Extracting …' : 'Storing …'
      }
    })
    try {
      const answer = await one.transfer.answer
      announce(one.isArchive ? `${one.name}: ${counted(answer.extracted ?? 0, 'file')} extracted` : `${one.name} is there`)
      putAway(one)
      onDone()
    } catch (error) {
      if (one.isGone) return
      one.item.className = 'failed'
      one.bar.hidden = true
      one.retry.hidden = false
      one.words.textContent = error.message
      announce(`${one.name}: ${error.message}`)
    }
  }

  function putAway (one) {
    one.isGone = true
    one.transfer?.abort()
    all.delete(one)
    draw()
  }

  return {
    element: list,
    add,
    /** @param {string | null} id the session whose uploads are shown; the others go on */
    show (id) {
      sessionId = id
      draw()
    }
  }
}
