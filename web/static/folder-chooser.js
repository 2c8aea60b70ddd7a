/* global setTimeout, clearTimeout */
import { get, post } from './api.js'
import { byId, el } from './dom.js'
import { createDesk, createLine } from './line.js'
import { visible } from './names.js'

const typingPauseMs = 150

/**
 * The folder of a new session, where it shall not be the usual one.
 * @param {object} options
 * @param {(workspace: { path: string, name: string }) => void} options.onChosen
 */
export function createFolderChooser ({ onChosen }) {
  const dialog = byId('folder-dialog')
  const list = dialog.querySelector('ul')
  const form = dialog.querySelector('form')
  const path = byId('folder-path')
  const line = createLine()
  dialog.querySelector('.line').replaceWith(line.element)
  const desk = createDesk({ root: dialog, line })
  let typing

  function draw ({ workspaces, last }) {
    list.replaceChildren(...workspaces.map((workspace) => {
      const name = visible(workspace.name)
      return el('li', {},
        el('button', { type: 'button', class: 'open', onclick: () => choose(workspace) },
          el('bdi', { class: 'name' }, name),
          el('span', { class: 'small' }, el('bdi', {}, visible(workspace.path)), workspace.path === last ? ' · used last' : '')),
        el('button', { type: 'button', class: 'quiet remove', hidden: workspaces.length === 1, 'aria-label': `Take ${name} out of the list`, onclick: () => remove(workspace) }, '×'))
    }))
  }

  async function open () {
    line.inform('')
    path.value = ''
    list.replaceChildren()
    dialog.showModal()
    await desk.act('Loading …', async () => draw(await get('/api/workspaces')))
    const first = list.querySelector('button') ?? path
    if (dialog.open) first.focus()
  }

  function choose (workspace) {
    dialog.close()
    onChosen(workspace)
  }

  async function remove ({ path: gone }) {
    await desk.act('Removing …', async () => {
      const { workspaces } = await post('/api/workspaces/remove', { path: gone })
      draw({ workspaces })
    })
  }

  async function add () {
    const wanted = path.value.trim()
    if (wanted === '') return
    let added
    const isDone = await desk.act('Adding …', async () => {
      const before = new Set((await get('/api/workspaces')).workspaces.map((one) => one.path))
      // A folder that is in the list already is as good as a new one.
      if (before.has(wanted)) return
      const { workspaces } = await post('/api/workspaces/add', { path: wanted, create: byId('folder-create').checked })
      added = workspaces.find((one) => !before.has(one.path))
    })
    if (!isDone) return
    choose(added ?? { path: wanted, name: wanted.slice(wanted.lastIndexOf('/') + 1) })
  }

  async function suggest () {
    const prefix = path.value
    try {
      const { suggestions } = await get('/api/workspaces/suggest', { prefix })
      if (prefix === path.value) byId('folder-suggestions').replaceChildren(...suggestions.map((one) => el('option', { value: one })))
    } catch {} // one can go on typing
  }

  path.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(suggest, typingPauseMs)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    add()
  })
  form.querySelector('.cancel').addEventListener('click', () => dialog.close())
  byId('choose-folder').addEventListener('click', open)
}
