import { get, post, withQuery } from './api.js'
import { ask } from './dialogs.js'
import { el } from './dom.js'
import { createDesk, createLine } from './line.js'
import { counted, sizeWords, visible, visibleText } from './names.js'

const pictures = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i

/**
 * One file: a text to read and to change, a picture, or something to download. Texts that were changed and not saved
 * are kept as long as the page lives.
 * @param {object} options
 * @param {(path: string) => void} options.onBack
 * @param {() => void} options.onSaved
 */
export function createFileView ({ onBack, onSaved }) {
  const line = createLine()
  const title = el('h3', {})
  const body = el('div', { class: 'body' })
  const tools = el('div', { class: 'tools' })
  const root = el('section', { class: 'file-view', 'aria-label': 'File', hidden: true, onkeydown: saveByKey },
    el('div', { class: 'head' }, el('button', { type: 'button', class: 'quiet', 'aria-label': 'Back to the list', onclick: () => leave() }, '‹ Back'), title),
    tools, line.element, body)
  const desk = createDesk({ root, line })
  /** By session and path, texts that are being changed: `{ text, version, ending }`. */
  const edits = new Map()
  /** `{ sessionId, path, entry, file, edit }`; `file` is the service's answer, null for what is no text. */
  let shown = null

  const keyOf = (sessionId, path) => `${sessionId}\n${path}`
  const keyHere = () => keyOf(shown.sessionId, shown.path)

  function leave () {
    const { path } = shown
    close()
    onBack(path)
  }

  function close () {
    shown = null
    root.hidden = true
    body.replaceChildren()
  }

  async function open (sessionId, entry) {
    shown = { sessionId, path: entry.path, entry, file: null, edit: edits.get(keyOf(sessionId, entry.path)) ?? null }
    root.hidden = false
    title.replaceChildren(el('bdi', {}, visible(entry.path)))
    title.title = visible(entry.path)
    line.inform('')
    tools.replaceChildren()
    body.replaceChildren()
    root.querySelector('.head button').focus()
    await load()
  }

  async function load () {
    const asked = shown
    if (pictures.test(asked.path)) return drawPicture()
    try {
      const file = await get('/api/file', { session_id: asked.sessionId, path: asked.path })
      if (asked !== shown) return
      shown.file = file
      if (shown.edit !== null && shown.edit.version !== file.version) tellChanged()
      draw()
    } catch (error) {
      if (asked !== shown) return
      line.tell(error.message)
      drawTools()
      if (shown.edit !== null) drawEditor()
    }
  }

  function address (query) {
    return withQuery('/api/file/raw', { session_id: shown.sessionId, path: shown.path, ...query })
  }

  function drawTools (...more) {
    tools.replaceChildren(...more, el('a', { class: 'button quiet', href: address({ download: 1 }), download: '' }, 'Download'))
  }

  function drawPicture () {
    drawTools()
    const name = visible(shown.path)
    const image = el('img', { src: address({ v: String(shown.entry.mtime_ns ?? '') }), alt: name, onerror: () => body.replaceChildren(el('p', { class: 'small' }, 'This picture cannot be shown.')) })
    body.replaceChildren(image)
  }

  function draw () {
    if (shown.edit !== null) return drawEditor()
    const { content, size, is_binary: isBinary = content.includes('\0'), is_lossy: isLossy = content.includes('\ufffd'), preview } = shown.file
    const facts = el('span', { class: 'small' }, [sizeWords(size), ...(isBinary ? [] : [counted(lineCount(content), 'line')])].join(' · '))
    if (preview) {
      drawTools(facts)
      line.inform(preview.truncated ? 'The beginning of the text in this document.' : 'The text in this document.')
      return body.replaceChildren(el('pre', { class: 'document', tabIndex: 0 }, visibleText(content)))
    }
    if (isBinary) {
      drawTools(facts)
      return body.replaceChildren(el('p', { class: 'small' }, 'This file is not a text.'))
    }
    const reason = isLossy ? 'It holds bytes that are not text, which would be lost.' : endingOf(content) === null ? 'Its line ends are mixed, which would be lost.' : null
    drawTools(facts, el('button', { type: 'button', class: 'quiet', disabled: reason !== null, title: reason === null ? '' : `Cannot be changed here. ${reason}`, onclick: edit }, 'Edit'))
    body.replaceChildren(numbered(content))
  }

  function edit () {
    const { content, version } = shown.file
    shown.edit = { text: content.replaceAll('\r\n', '\n'), version, ending: endingOf(content) }
    shown.edit.original = shown.edit.text
    line.inform('')
    drawEditor()
    body.querySelector('textarea').focus()
  }

  function drawEditor () {
    const { edit } = shown
    const box = el('textarea', {
      value: edit.text,
      spellcheck: false,
      autocomplete: 'off',
      'aria-label': `Text of ${visible(shown.path)}`,
      oninput () {
        edit.text = box.value
        if (edit.text === edit.original) edits.delete(keyHere())
        else edits.set(keyHere(), edit)
      }
    })
    drawTools(
      el('button', { type: 'button', class: 'primary', onclick: () => save() }, 'Save'),
      el('button', { type: 'button', class: 'quiet', onclick: cancel }, 'Cancel'))
    body.replaceChildren(box)
  }

  async function cancel () {
    const { edit, path } = shown
    const isChanged = edit.text !== edit.original
    if (isChanged && await ask({ title: 'Drop what you have changed?', text: visible(path), confirm: 'Drop', isDangerous: true }) === null) return
    await drop()
  }

  async function drop () {
    edits.delete(keyHere())
    shown.edit = null
    line.inform('')
    await load()
  }

  async function save (version = shown.edit.version) {
    const { edit, sessionId, path } = shown
    const content = edit.ending === '\n' ? edit.text : edit.text.replaceAll('\n', edit.ending)
    const saved = await desk.act('Saving …', async () => {
      try {
        const answer = await post('/api/file/save', { session_id: sessionId, path, content, if_match: version })
        edits.delete(keyOf(sessionId, path))
        if (shown?.edit === edit) Object.assign(shown, { edit: null, file: null })
        return answer
      } catch (error) {
        if (error.body?.code !== 'changed' || shown?.edit !== edit) throw error
        tellChanged()
      }
    })
    if (!saved || edits.has(keyOf(sessionId, path))) return
    if (shown?.path === path && shown.edit === null) {
      await load()
      if (shown?.path === path) line.inform('Saved.')
    }
    onSaved()
  }

  /** Somebody, most often the agent, has written the file since it was read here. */
  function tellChanged () {
    line.tell('The file was changed meanwhile. Your text is still here. ')
    line.element.append(
      el('button', { type: 'button', class: 'quiet', onclick: drop }, 'Drop mine, show the file'), ' ',
      el('button', { type: 'button', class: 'quiet', onclick: overwrite }, 'Save mine over it'))
  }

  async function overwrite () {
    const { sessionId, path } = shown
    try {
      const { version } = await get('/api/file', { session_id: sessionId, path })
      if (shown?.path === path) await save(version)
    } catch (error) {
      line.tell(error.message)
    }
  }

  function saveByKey (event) {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || shown?.edit == null) return
    event.preventDefault()
    save()
  }

  return {
    element: root,
    open,
    close,
    /** Whether a text was changed and not saved; without arguments, whether any was. */
    isUnsaved: (sessionId, path) => path === undefined ? edits.size > 0 : edits.has(keyOf(sessionId, path)),
    /** A file or folder has been deleted on purpose, and what was typed into it with it. */
    forget (sessionId, path) {
      for (const key of edits.keys()) if (key === keyOf(sessionId, path) || key.startsWith(`${keyOf(sessionId, path)}/`)) edits.delete(key)
    },
    /** @param {object[]} entries the folder of the file as it is now */
    heard (entries) {
      const entry = entries.find(({ path }) => path === shown?.path)
      if (shown === null || entry === undefined || entry.mtime_ns === shown.entry.mtime_ns || desk.isBusy()) return
      shown.entry = entry
      // What is being typed is left alone until it is saved.
      if (shown.edit === null) load()
    }
  }
}

/** @returns {string | null} how lines end, null when not all alike: a text box knows one way only */
function endingOf (content) {
  const all = content.match(/\r\n?|\n/g) ?? []
  const kinds = new Set(all)
  if (kinds.size > 1 || kinds.has('\r')) return null
  return kinds.has('\r\n') ? '\r\n' : '\n'
}

/** What people count: the end of the last line begins no other. */
function lineCount (content) {
  return content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
}

/** The numbers stand beside the text, so that what is copied is the text alone. */
function numbered (content) {
  const numbers = Array.from({ length: Math.max(1, lineCount(content)) }, (_, index) => index + 1).join('\n')
  return el('div', { class: 'numbered', tabIndex: 0, role: 'group', 'aria-label': 'Text' }, el('pre', { class: 'numbers', 'aria-hidden': 'true' }, numbers), el('pre', {}, visibleText(content)))
}
