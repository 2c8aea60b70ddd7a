/* global document, location, history, addEventListener, matchMedia */
import { post } from './api.js'
import { createAttachments } from './attachments.js'
import { createBackground } from './background.js'
import { createBtw } from './btw.js'
import { parseCommand } from './commands.js'
import { createComposer } from './composer.js'
import { createConversation } from './conversation.js'
import { ask } from './dialogs.js'
import { byId, el } from './dom.js'
import { createFolderChooser } from './folder-chooser.js'
import { createGoal } from './goal.js'
import { counted, visible } from './names.js'
import { createPrompts } from './prompts.js'
import { createSessionList } from './sessions.js'
import { showSideCards } from './side-cards.js'
import { createStatus } from './status.js'
import { watchSessions } from './stream.js'
import { showTodos } from './todos.js'
import { createTranscript } from './transcript.js'
import { createWaiting } from './waiting.js'
import { createWorkspace } from './workspace.js'

const serviceName = document.title
const drafts = new Map()
let waiting = []
let isRunning = false
let shownId = null
/** The folder that the next new session is to have, where it is not the usual one. */
let newFolder = null

const status = createStatus()
const transcript = createTranscript()
const composer = createComposer({ onSend: send, onStop: () => conversation.stop(), hasFiles: () => attachments.count() > 0 })
const conversation = createConversation({
  transcript,
  composer,
  onTodos: showTodos,
  onSession: showSession,
  onRunning: showRunning,
  onGoal: (payload) => goal.hear(payload),
  onWork: () => workspace.worked(),
  newSessionBody: () => newFolder === null ? {} : { workspace: newFolder.path }
})
const attachments = createAttachments({ ensure: conversation.ensure, onNote: composer.tell })
const workspace = createWorkspace()
const goal = createGoal({ onNote: composer.tell, onInformed: composer.inform, onGone: focusBox })
const btw = createBtw({ onClosed: focusBox })
const background = createBackground({ onClosed: focusBox })
const prompts = createPrompts({ container: byId('cards'), onNote: composer.tell, onChange: showWaiting, onAnswered: focusBox })
const waitingList = createWaiting({ openSession: () => conversation.id(), onPick: prompts.focus, onEmptied: focusBox })
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
    if (id === undefined || reason.startsWith('attention') || /_(delete|rename|title)$/.test(reason)) waitingList.refresh()
    if (id === undefined) goal.refresh()
    if (id !== undefined && id !== conversation.id()) return
    if (reason === 'session_delete') openFromAddress(null)
    // A change without a session may be the first news after a gap.
    else if (id === undefined || reason.startsWith('attention') || waiting.length > 0) prompts.refresh()
  }
})

/** A message, or a command of this page's. Resolves with whether the text was taken. */
async function send (text) {
  const command = parseCommand(text)
  if (command === null) return await sendMessage(text)
  try {
    return await run(command)
  } catch (error) {
    composer.tell(error.message)
    return false
  }
}

/** Files go with a message that starts a turn; to one that runs only words can be added. */
async function sendMessage (text) {
  const count = attachments.count()
  if (conversation.isRunning()) {
    if (text === '') composer.tell('Files go with a message of their own, after this turn.')
    const taken = text !== '' && await conversation.send(text)
    if (taken && count > 0) composer.inform('The attached files stay for the next message.')
    return taken
  }
  if (count === 0) return await conversation.send(text)
  composer.inform('Sending as soon as the files are there …')
  const ready = await attachments.ready()
  if (ready === null) return false
  composer.tell('')
  const taken = await conversation.send(text || (count === 1 ? 'See the attached file.' : `See the ${counted(count, 'attached file')}.`), ready.attachments)
  if (taken) attachments.sent(ready)
  return taken
}

async function run ({ name, args }) {
  if (name === 'goal' && args !== '' && !/^(status|pause|resume|clear|stop|done)$/i.test(args)) return await conversation.pursue(args)
  if (name !== 'goal' && args === '') {
    composer.tell(name === 'btw' ? 'Write the question behind it: /btw <question>' : 'Write the task behind it: /background <prompt>')
    return false
  }
  if (name === 'goal' && conversation.id() === null) {
    composer.inform('A session that has not begun has no goal.')
    return true
  }
  const id = await conversation.ensure()
  if (name === 'goal') await goal.act(args.toLowerCase() || 'status')
  else if (name === 'btw') await btw.ask(id, args)
  else await background.start(id, args)
  return true
}

function showSession (session) {
  const id = session?.session_id ?? null
  const isNew = id !== shownId
  shownId = id
  if (id !== null) newFolder = null
  showReadOnly(session)
  attachments.show(id)
  workspace.show(id)
  showFolder()
  showSideCards(id)
  goal.show(session?.read_only === true ? null : id)
  if (isNew && id !== null && !session.read_only) background.look(id)
  byId('title').textContent = session === null ? 'New session' : session.title
  byId('session-actions').hidden = id === null
  byId('welcome').hidden = id !== null
  if (id !== null && id !== addressed()) history.replaceState(null, '', `#${id}`)
  sessions.select(id)
  prompts.show(id)
  nameWindow()
}

/** Where a session that has not begun will work, when that was chosen. */
function showFolder () {
  const line = byId('welcome-folder')
  line.hidden = newFolder === null
  if (newFolder !== null) line.replaceChildren('This session will work in ', el('strong', {}, el('bdi', {}, visible(newFolder.path))), '.')
}

/** A session that can only be read has no box; a sub-agent's leads back to its conversation. */
function showReadOnly (session) {
  const line = byId('read-only')
  const isReadOnly = session?.read_only === true
  composer.show(!isReadOnly)
  line.hidden = !isReadOnly
  if (!isReadOnly) return
  if (session.relationship_type !== 'child_session') line.textContent = 'This session can only be read.'
  else line.replaceChildren('This is a sub-agent’s session; it can only be read. ', el('a', { href: `#${session.parent_session_id}` }, 'To its conversation'))
}

function showRunning (running) {
  isRunning = running
  // What was being checked when this turn began is overtaken.
  if (running && goal.exists()) goal.refresh()
  workspace.running(running)
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

// The address that other apps of this interface use for a session leads here as well.
const inPath = /^\/session\/([^/]+)\/?$/.exec(location.pathname)
if (inPath !== null) history.replaceState(null, '', location.hash === '' ? `/#${inPath[1]}` : `/${location.hash}`)

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

/**
 * What a hidden page still needs: news of a turn that runs, for the mark in its title, and of those that a goal begins;
 * with nobody to hear of it, what such a turn has to ask for would be denied. Browsers allow few connections.
 */
function keepConnections () {
  for (const one of [conversation, btw]) {
    if (document.hidden) one.pause()
    else one.resume()
  }
  if (document.hidden && !isRunning && !goal.isActive()) changes.close()
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

/** @param {{ path: string, name: string } | null} folder where it will work; null for the usual place */
function newSession (folder = null) {
  newFolder = folder
  showFolder()
  if (conversation.id() !== null) openFromAddress(null)
  showMenu(false)
  focusBox()
}

/** A file that is dropped beside what takes it would replace the page. */
function keepPage (event) {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}

/** Not on a touch screen: its keyboard would cover half the page. */
function focusBox () {
  if (matchMedia('(pointer: fine)').matches) skip()
}

function skip () {
  if (byId('read-only').hidden) composer.focus()
  else byId('read-only').focus()
}

byId('menu').addEventListener('click', () => showMenu(byId('menu').getAttribute('aria-expanded') !== 'true'))
byId('shade').addEventListener('click', () => showMenu(false))
addEventListener('keydown', (event) => { if (event.key === 'Escape') showMenu(false) })
byId('skip').addEventListener('click', skip)
byId('new-session').addEventListener('click', () => newSession())
createFolderChooser({ onChosen: newSession })
byId('rename').addEventListener('click', rename)
byId('title').addEventListener('dblclick', rename)
byId('delete').addEventListener('click', remove)
byId('earlier').addEventListener('click', () => conversation.showEarlier().catch((error) => composer.tell(error.message)))
byId('dialog').querySelector('button[value="cancel"]').addEventListener('click', () => byId('dialog').close('cancel'))
for (const example of document.querySelectorAll('.examples button')) example.addEventListener('click', () => composer.sendText(example.textContent))
addEventListener('hashchange', () => { if (addressed() !== conversation.id()) openFromAddress() })
document.addEventListener('visibilitychange', keepConnections)

addEventListener('dragover', keepPage)
addEventListener('drop', keepPage)

composer.setMode('idle')
status.refresh()
sessions.refresh()
keepConnections()
openFromAddress().then(focusBox)
