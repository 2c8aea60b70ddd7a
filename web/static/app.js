/* global document, location, history, addEventListener, matchMedia */
import { post } from './api.js'
import { createComposer } from './composer.js'
import { createConversation } from './conversation.js'
import { ask } from './dialogs.js'
import { byId } from './dom.js'
import { createPrompts } from './prompts.js'
import { createSessionList } from './sessions.js'
import { createStatus } from './status.js'
import { watchSessions } from './stream.js'
import { showTodos } from './todos.js'
import { createTranscript } from './transcript.js'

const serviceName = document.title
const drafts = new Map()
let waiting = []
let isRunning = false

const status = createStatus()
const transcript = createTranscript()
const composer = createComposer({ onSend: (text) => conversation.send(text), onStop: () => conversation.stop() })
const conversation = createConversation({ transcript, composer, onTodos: showTodos, onSession: showSession, onRunning: showRunning })
const prompts = createPrompts({ container: byId('cards'), onNote: composer.tell, onChange: showWaiting, onAnswered: focusBox })
const sessions = createSessionList({
  onList (rows) {
    const row = rows.find((one) => one.session_id === conversation.id())
    if (row !== undefined) conversation.sync(row)
  }
})
const changes = watchSessions({
  onConnection: status.connection,
  onChange ({ reason, session_id: id }) {
    sessions.refresh()
    if (reason === 'default_model') status.refresh()
    if (id !== undefined && id !== conversation.id()) return
    if (reason === 'session_delete') openFromAddress(null)
    // A change without a session may be the first news after a gap.
    else if (id === undefined || reason.startsWith('attention') || waiting.length > 0) prompts.refresh()
  }
})

function showSession (session) {
  const id = session?.session_id ?? null
  byId('title').textContent = session === null ? 'New session' : session.title
  byId('session-actions').hidden = id === null
  byId('welcome').hidden = id !== null
  if (id !== null && id !== addressed()) history.replaceState(null, '', `#${id}`)
  sessions.select(id)
  prompts.show(id)
  nameWindow()
}

function showRunning (running) {
  isRunning = running
  nameWindow()
  keepConnections()
}

function showWaiting (kinds) {
  waiting = kinds
  conversation.tellWaiting(kinds.length > 0)
  transcript.grown()
  nameWindow()
}

function nameWindow () {
  const mark = waiting.length > 0 ? '(!) ' : isRunning ? '… ' : ''
  document.title = mark + (conversation.id() === null ? serviceName : `${conversation.title()} – ${serviceName}`)
}

const addressed = () => location.hash === '' ? null : decodeURIComponent(location.hash.slice(1))

async function openFromAddress (id = addressed()) {
  const before = conversation.id() ?? ''
  drafts.set(before, composer.swap(drafts.get(id ?? '') ?? ''))
  if (id === null && location.hash !== '') history.replaceState(null, '', location.pathname)
  showMenu(false)
  prompts.show(null)
  try {
    await conversation.open(id)
    transcript.goToEnd()
  } catch (error) {
    conversation.leave()
    history.replaceState(null, '', location.pathname)
    composer.tell(error.status === 404 ? 'This session does not exist any more.' : error.message)
  }
}

/** What a hidden page still needs: news of a turn that runs, for the mark in its title. Browsers allow few connections. */
function keepConnections () {
  if (document.hidden) conversation.pause()
  else conversation.resume()
  if (document.hidden && !isRunning) changes.close()
  else changes.open()
}

async function rename () {
  const id = conversation.id()
  if (id === null) return
  const title = await ask({ title: 'Rename session', value: conversation.title(), confirm: 'Rename' })
  if (title !== null) await post('/api/session/rename', { session_id: id, title }).catch((error) => composer.tell(error.message))
}

async function remove () {
  const id = conversation.id()
  const answer = await ask({ title: 'Delete this session?', text: `“${conversation.title()}” and everything in it will be gone for good.`, confirm: 'Delete', isDangerous: true })
  if (answer !== null) await post('/api/session/delete', { session_id: id }).catch((error) => composer.tell(error.message))
}

/** On a narrow page only: the list of sessions comes in from the side. */
function showMenu (isOpen) {
  const menu = byId('menu')
  const wasOpen = menu.getAttribute('aria-expanded') === 'true'
  if (isOpen === wasOpen) return
  menu.setAttribute('aria-expanded', String(isOpen))
  document.body.classList.toggle('menu-open', isOpen)
  if (isOpen) byId('new-session').focus()
  else menu.focus()
}

function newSession () {
  if (conversation.id() !== null) openFromAddress(null)
  showMenu(false)
  focusBox()
}

/** Not on a touch screen: its keyboard would cover half the page. */
function focusBox () {
  if (matchMedia('(pointer: fine)').matches) composer.focus()
}

byId('menu').addEventListener('click', () => showMenu(byId('menu').getAttribute('aria-expanded') !== 'true'))
byId('shade').addEventListener('click', () => showMenu(false))
addEventListener('keydown', (event) => { if (event.key === 'Escape') showMenu(false) })
byId('skip').addEventListener('click', composer.focus)
byId('new-session').addEventListener('click', newSession)
byId('rename').addEventListener('click', rename)
byId('title').addEventListener('dblclick', rename)
byId('delete').addEventListener('click', remove)
byId('earlier').addEventListener('click', () => conversation.showEarlier().catch((error) => composer.tell(error.message)))
byId('dialog').querySelector('button[value="cancel"]').addEventListener('click', () => byId('dialog').close('cancel'))
for (const example of document.querySelectorAll('.examples button')) example.addEventListener('click', () => composer.sendText(example.textContent))
addEventListener('hashchange', () => { if (addressed() !== conversation.id()) openFromAddress() })
document.addEventListener('visibilitychange', keepConnections)

composer.setMode('idle')
status.refresh()
sessions.refresh()
keepConnections()
openFromAddress().then(focusBox)
