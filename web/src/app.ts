import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { Api } from './core/service/api.js'
import { createAppVersion } from './core/service/app-version.js'
import { createOfflineCopies } from './core/device/offline-copies.js'
import { indexedStore } from './core/device/copy-store.js'
import { createLink } from './core/service/link.js'
import { createLogin, noToken } from './core/service/login.js'
import { createOutbox, windowLock, type Outbox } from './core/conversation/outbox.js'
import { isRecord } from './core/service/records.js'
import { createStart, joinBehind, startPath } from './core/service/start.js'
import { createPersonStore, type Forgetting } from './core/device/person-store.js'
import { createPrompts } from './core/conversation/prompts.js'
import { createSessionList } from './core/sessions/session-list.js'
import { createSettings } from './core/settings/settings.js'
import { createUnread } from './core/sessions/unread.js'
import { joinHub } from './core/service/window-hub.js'
import { words } from './words/index.js'

// The objects that a window has once. This code knows nothing of views, so that it can be tested without a browser.

/** The title of the window while it shows nothing. */
export const serviceName = document.title
const readMeta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const readToken = (): string => readMeta('csrf-token')

/** The CSRF token that requests of the page carry. */
function setToken (token: string): void {
  document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.setAttribute('content', token)
}

/** Holds the person's data on this device, except for copies of chats. */
export const personStore = createPersonStore(localStorage)

const ended = signal(false)
/** Whether the sign-in has ended; then no chat may be shown. */
export const isSignedOut: ReadonlySignal<boolean> = ended
const endings = new Set<() => void>()
const otherWindows = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('signed-out')

/** Calls `act` when the sign-in ends, before anything is deleted, so that typed text can still be saved. */
export function onSignInEnd (act: () => void): void { endings.add(act) }

/** Goes to the sign-in page, which leads back here. Data that was read while signed in is deleted from this device. */
export function signIn (): void {
  const leave = (): void => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`)
  void endEverywhere({ keepsWritten: true }).then(leave, leave)
}

async function endEverywhere (options: Forgetting): Promise<void> {
  otherWindows?.postMessage(options)
  await endHere(options)
}

/**
 * Deletes all read data at once. Unsent text waits for the next sign-in, unless it is to be deleted too. Resolves when the copies are
 * deleted.
 */
async function endHere (options: Forgetting): Promise<void> {
  if (!ended.peek()) for (const act of endings) act()
  ended.value = true
  personStore.forget(options)
  await offlineCopies.clear()
}

/** Adopts a new token of the same person, who keeps their unsent messages. */
export function renewToken (token: string): void {
  const before = login.key
  setToken(token)
  login.renew(token)
  if (login.key !== before) outbox?.follow(before)
}

const start = createStart({ url: startPath(location.pathname) })
export const login = createLogin({ token: readToken(), store: personStore })
/** Tracks the build of the app that this window started with, and whether the service has another one now. */
export const appVersion = createAppVersion(readMeta('app-version'))
/** Holds copies of what was last viewed, for when the service cannot be reached. */
export const offlineCopies = createOfflineCopies({ store: indexedStore(), login: login.key })
export const api = new Api({
  // Another sign-in has another token, and the code that changes the sign-in stores it in the page. A page from this device's cache has
  // none.
  get csrfToken () {
    const token = readToken()
    return token === noToken ? '' : token
  },
  // As long as the page comes from this device's cache, its owner is unknown.
  onToken: (token) => { if (login.isConfirmed.peek()) renewToken(token) },
  onVersion: (said) => appVersion.hear(said),
  words: {
    unreachable: () => words.value.common.unreachable,
    status: (status) => words.value.common.failed(status),
    ofCode: (code, said) => words.value.errors[code]?.(said)
  },
  known: start.answer,
  // Asking for the state of a goal changes nothing.
  onChange: (path, body) => { if (path !== '/api/goal' || !isRecord(body) || body.args !== 'status') start.outdate() },
  beforeChange: () => login.isConfirmed.peek() ? undefined : confirmLogin(),
  onSignedOut: signIn
})
export const link = createLink(joinBehind(start, joinHub))
link.onFrame(({ event }) => start.hear(event))
export const sessions = createSessionList({ api, link })
export const prompts = createPrompts({ api, link })
export const settings = createSettings({ link, serviceName })
export const unread = createUnread({ store: personStore, nowS: () => Date.now() / 1_000 })

/** Holds messages that could not be sent yet; undefined in a browser that cannot prevent two windows from sending the same one. */
export const outbox: Outbox | undefined = ((alone) => alone === null
  ? undefined
  : createOutbox({
    api,
    store: personStore,
    login: login.shared,
    alone,
    isOpen: () => link.state.peek() === 'open' && login.isConfirmed.peek(),
    isCut: () => link.state.peek() === 'lost' || !navigator.onLine || !login.isConfirmed.peek()
  }))(windowLock())

let confirming: Promise<void> | null = null

/**
 * Asks the service who is signed in and which token requests need, for a page from this device's cache. Asks once for all concurrent
 * callers. Throws ApiError.
 */
export async function confirmLogin (): Promise<void> {
  confirming ??= askWhose().finally(() => { confirming = null })
  await confirming
}

async function askWhose (): Promise<void> {
  const { csrf_token: token } = await api.get('/api/auth/status')
  setToken(token)
  if (login.confirm(token)) return
  // Unsent text stays, and is sent after a sign-in when the person asks for it.
  await offlineCopies.clear()
  location.reload()
  // Never resolves, so that nothing more is done for the previous person.
  await new Promise(() => {})
}

/** Removes all of the person's data from this device. Await it before leaving the page for good. */
export async function forgetHere (): Promise<void> {
  outbox?.clear()
  const forgotten = endEverywhere({ keepsWritten: false })
  // Its code is not needed at the start.
  await import('./core/device/shared-store.js').then(async ({ sharedStore }) => await sharedStore().clear()).catch(console.warn)
  await forgotten
}

/** Ends the sign-in in this window when it has ended elsewhere. */
export function followSignIn (): void {
  let isCut = true
  effect(() => {
    const { value: state } = link.state
    if (state === 'refused') void endHere({ keepsWritten: true })
    if (state === 'open' && isCut && ended.peek()) location.reload()
    isCut = state !== 'open'
  })
  otherWindows?.addEventListener('message', ({ data }: MessageEvent<Forgetting>) => {
    void endHere(data)
    // The message may be about an earlier sign-in.
    void api.get('/api/auth/status').then(({ authenticated }) => { if (authenticated) location.reload(); else link.retry() }, () =>
      link.retry())
  })
  // The browser may restore a page in the state in which it was left, with chats on it.
  addEventListener('pageshow', ({ persisted }) => { if (persisted && ended.peek()) location.reload() })
}
