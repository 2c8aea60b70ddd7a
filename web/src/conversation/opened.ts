import { signal, type ReadonlySignal } from '@preact/signals'
import { api, kept, link, onSignInEnd, outbox, personStore, sessions } from '../app.js'
import { Attachments } from '../core/composer/attachments.js'
import { Composer } from '../core/composer/composer.js'
import { Conversation } from '../core/conversation/conversation.js'
import { type NewSession } from '../core/conversation/conversation-state.js'
import { EarlierVersions } from '../core/device/earlier-versions.js'
import { Draft } from '../core/composer/drafts.js'
import { pathThere } from '../core/machines/location.js'
import { type Resent } from '../core/conversation/resending.js'
import { keepUnfolded, unfoldedIn } from '../core/device/unfolded.js'
import { browserUpload } from '../core/composer/uploads.js'
import { Yolo } from '../core/conversation/yolo.js'
import { words } from '../words/index.js'
import { type ReadingViewOptions } from './reading-view.js'

/** What the next new chat is made with, where it is not the usual: its folder, model, project. */
export const nextSession = signal<NewSession>({})

/** Those of this window, whichever chat is open. */
export const yolo = new Yolo(api)
export const earlierVersions = new EarlierVersions({ store: personStore })

/** A chat that is looked at, with what stands in its box. */
export interface Opened {
  /** Of the page that shows it. */
  readonly key: number
  readonly conversation: Conversation
  readonly draft: Draft
  readonly attachments: Attachments
  readonly composer: Composer
  /** Lines that are open in it. */
  readonly unfolded: Set<string>
  /** The view of its transcript, while there is one. */
  view: ReadingViewOptions | null
}

const current = signal<Opened | null>(null)
let pages = 0

/**
 * The chat that this window looks at. It is the same one as long as its session is, also while an empty page becomes a session; another one
 * closes it. What it has begun goes on in the service.
 */
export function openConversation (sessionId: string | null): Opened {
  const open = current.peek()
  if (open !== null && open.conversation.sessionId.peek() === sessionId) return open
  close()
  const conversation = new Conversation({ api, link, sessionId, newSession: () => nextSession.peek(), kept, outbox })
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
    if (event.type === 'gone' && id !== null) void kept.drop(id)
    if (event.type === 'created') {
      nextSession.value = {}
      keepUnfolded(event.sessionId, unfolded)
    }
  })
  const next: Opened = { key: ++pages, conversation, draft, attachments, composer, unfolded, view: null }
  current.value = next
  return next
}

/** The chat that is open, for what is not part of it: the palette, the title of the window. */
export const opened: ReadonlySignal<Opened | null> = current

/** Shows a file of the open chat's folder beside it. The same function each time: texts that hold links to files are not drawn anew. */
export function showFile (path: string, line: number | null): void {
  const conversation = current.peek()?.conversation
  const id = conversation?.sessionId.peek()
  if (id == null) return
  const folder = pathThere(conversation?.session.peek()?.workspace ?? '')
  const own = (folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path).replace(/^\.\//, '')
  void import('../side/side-model.js').then(({ openFile }) => openFile(id, own, line), () => {})
}

/** What was to be sent and was not is in the box again. */
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
}

// A page that is put aside or closed keeps what was typed.
// That of a chat is with the service, which takes no more of it now.
onSignInEnd(() => { if (current.peek()?.conversation.sessionId.peek() === null) current.peek()?.draft.flush() })
addEventListener('pagehide', () => current.peek()?.draft.flush())
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') current.peek()?.draft.flush() })
