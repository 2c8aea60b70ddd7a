import { signal, type ReadonlySignal } from '@preact/signals'
import { api, link, offlineCopies, onSignInEnd, outbox, personStore, sessions } from '../app.js'
import { Attachments } from '../core/composer/attachments.js'
import { Composer } from '../core/composer/composer.js'
import { Conversation } from '../core/conversation/conversation.js'
import { type NewSession } from '../core/conversation/conversation-state.js'
import { Draft } from '../core/composer/drafts.js'
import { pathThere } from '../core/machines/location.js'
import { type Resent } from '../core/conversation/resending.js'
import { keepUnfolded, unfoldedIn } from '../core/device/unfolded.js'
import { browserUpload } from '../core/composer/uploads.js'
import { Yolo } from '../core/conversation/yolo.js'
import { words } from '../words/index.js'
import { type ReadingViewOptions } from './reading-view.js'

/** The folder, model and project of the next new chat, if they differ from the defaults. */
export const nextSession = signal<NewSession>({})

/** The state of this window, whichever chat is open. */
export const yolo = new Yolo(api)

/** An open chat, with the content of its message box. */
export interface OpenChat {
  /** The key of the page that shows it. */
  readonly key: number
  readonly conversation: Conversation
  readonly draft: Draft
  readonly attachments: Attachments
  readonly composer: Composer
  /** The keys of its expanded lines. */
  readonly unfolded: Set<string>
  /** The view of its transcript; null while none is shown. */
  view: ReadingViewOptions | null
}

const current = signal<OpenChat | null>(null)
let pages = 0

/** Temporary chats that were left and are about to be deleted, with what takes that back. */
const left = new Map<string, Promise<() => void>>()

function leaveTemporary (id: string): void {
  left.set(id, import('./leaving-temporary.js').then(async ({ leaveTemporary }) => await leaveTemporary(id)))
}

function returnTo (id: string): void {
  left.get(id)?.then((takeBack) => takeBack(), () => {})
  left.delete(id)
}

/**
 * Opens a chat in this window, or returns it if it is already open, including as an empty page that has become this chat. Closes the chat
 * that was open; its turns continue in the service, unless it was a temporary chat, which is deleted.
 */
export function openConversation (sessionId: string | null): OpenChat {
  const open = current.peek()
  if (open !== null && open.conversation.sessionId.peek() === sessionId) return open
  close()
  if (sessionId !== null) returnTo(sessionId)
  const conversation = new Conversation({ api, link, sessionId, newSession: () => nextSession.peek(), copies: offlineCopies, outbox })
  const draft = new Draft(sessionId, { api, store: personStore })
  const attachments = new Attachments({
    upload: browserUpload(api, { brokenOff: () => words.value.composer.brokenOff }), ensure: () => conversation.ensure()
  })
  const composer = new Composer({ conversation, draft, attachments, textForFiles: (count) => words.value.composer.textForFiles(count) })
  const row = sessionId === null ? undefined : sessions.row(sessionId)
  if (row !== undefined) conversation.syncRow(row)
  const unfolded = unfoldedIn(sessionId)
  conversation.listen((event) => {
    const id = conversation.sessionId.peek()
    if (event.type === 'gone' && id !== null) void offlineCopies.drop(id)
    if (event.type === 'created') {
      nextSession.value = {}
      keepUnfolded(event.sessionId, unfolded)
    }
  })
  const next: OpenChat = { key: ++pages, conversation, draft, attachments, composer, unfolded, view: null }
  current.value = next
  return next
}

/** The open chat, for the palette and the window's title. */
export const openChat: ReadonlySignal<OpenChat | null> = current

/** Shows a file of the chat's folder in the side panel. A stable function, so that texts with links to files are not redrawn. */
export function showFile (path: string, line: number | null): void {
  const conversation = current.peek()?.conversation
  const id = conversation?.sessionId.peek()
  if (id == null) return
  const folder = pathThere(conversation?.session.peek()?.workspace ?? '')
  const own = (folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path).replace(/^\.\//, '')
  void import('../side/side-model.js').then(({ openFile }) => openFile(id, own, line), () => {})
}

/** Puts a message that was not sent back into the box. */
export function giveBack ({ text, attachments }: Pick<Resent, 'text' | 'attachments'>): void {
  const open = current.peek()
  open?.draft.giveBack(text)
  open?.attachments.restore(attachments)
}

function close (): void {
  const open = current.peek()
  if (open === null) return
  void open.composer.close()
  open.attachments.clear()
  open.conversation.close()
  const session = open.conversation.session.peek()
  if (session?.temporary === true) leaveTemporary(session.session_id)
}

// Typed text is saved when the page is hidden or closed. When the sign-in ends, only the draft of a new chat is saved: the draft of an
// existing chat is stored in the service, which accepts nothing more from this window.
onSignInEnd(() => { if (current.peek()?.conversation.sessionId.peek() === null) current.peek()?.draft.flush() })
addEventListener('pagehide', () => current.peek()?.draft.flush())
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') current.peek()?.draft.flush() })
