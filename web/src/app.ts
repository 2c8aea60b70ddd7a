import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { Api } from './core/service/api.js'
import { createAppVersion } from './core/service/app-version.js'
import { createKept } from './core/device/kept.js'
import { indexedStore } from './core/device/kept-store.js'
import { createLink } from './core/service/link.js'
import { createLogin, noToken } from './core/service/login.js'
import { createOutbox, windowLock, type Outbox } from './core/conversation/outbox.js'
import { createPersonStore, type Forgetting } from './core/device/person-store.js'
import { createPrompts } from './core/conversation/prompts.js'
import { createSessionList } from './core/sessions/session-list.js'
import { createSettings } from './core/settings/settings.js'
import { createUnread } from './core/sessions/unread.js'
import { joinHub } from './core/service/window-hub.js'
import { words } from './words/index.js'

// What a window has once. Everything here is free of how it looks, and tested without a browser.

/** What the window is called while it shows nothing. */
export const serviceName = document.title
const readMeta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const readToken = (): string => readMeta('csrf-token')

/** What requests of the page carry. */
function setToken (token: string): void {
  document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.setAttribute('content', token)
}

/** Everything of the person that this device keeps beside copies of chats. */
export const personStore = createPersonStore(localStorage)

const ended = signal(false)
/** Nobody is signed in any more: nothing of a chat is to be seen. */
export const isSignedOut: ReadonlySignal<boolean> = ended
const endings = new Set<() => void>()
const otherWindows = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('signed-out')

/** Is called when the sign-in is over, before anything is forgotten: what was typed can still be put where it waits. */
export function onSignInEnd (act: () => void): void { endings.add(act) }

/** Leaves for the page to sign in, which leads back here. What was read by whoever was signed in does not stay on this device. */
export function signIn (): void {
  const leave = (): void => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`)
  void endEverywhere({ keepsWritten: true }).then(leave, leave)
}

async function endEverywhere (options: Forgetting): Promise<void> {
  otherWindows?.postMessage(options)
  await endHere(options)
}

/**
 * What was read is gone at once; what was typed and not sent waits for the next sign-in, unless it
 * goes as well. Resolves when copies are gone.
 */
async function endHere (options: Forgetting): Promise<void> {
  if (!ended.peek()) for (const act of endings) act()
  ended.value = true
  personStore.forget(options)
  await kept.clear()
}

/** The same person has another token from now on: what waits to be sent stays theirs. */
export function renewToken (token: string): void {
  const before = login.key
  setToken(token)
  login.renew(token)
  if (login.key !== before) outbox?.follow(before)
}

export const login = createLogin({ token: readToken(), store: personStore })
/** Which build of the app this window began with, and whether the service has another one by now. */
export const appVersion = createAppVersion(readMeta('app-version'))
/** Copies of what was looked at last, for when the service cannot be reached. */
export const kept = createKept({ store: indexedStore(), login: login.key })
export const api = new Api({
  // Another sign-in has another token: whoever changes how one signs in puts it there. A page of this device has none.
  get csrfToken () {
    const token = readToken()
    return token === noToken ? '' : token
  },
  // While the page is this device's own, it is not known yet whose it is.
  onToken: (token) => { if (login.isConfirmed.peek()) renewToken(token) },
  onVersion: (said) => appVersion.hear(said),
  words: { unreachable: () => words.value.common.unreachable, status: (status) => words.value.common.failed(status) },
  beforeChange: () => login.isConfirmed.peek() ? undefined : confirmLogin(),
  onSignedOut: signIn
})
export const link = createLink(joinHub)
export const sessions = createSessionList({ api, link })
export const prompts = createPrompts({ api, link })
export const settings = createSettings({ link, serviceName })
export const unread = createUnread({ store: personStore, nowS: () => Date.now() / 1_000 })

/** What could not be handed over yet; undefined in a browser that cannot keep two windows from sending the same. */
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
 * The page is this device's own: the service says now whose it is, and what requests have to carry. Once
 * for all who ask meanwhile; throws ApiError.
 */
export async function confirmLogin (): Promise<void> {
  confirming ??= askWhose().finally(() => { confirming = null })
  await confirming
}

async function askWhose (): Promise<void> {
  const { csrf_token: token } = await api.get('/api/auth/status')
  setToken(token)
  if (login.confirm(token)) return
  // What was written and not sent stays: after a sign-in it is sent when somebody says so.
  await kept.clear()
  location.reload()
  // Nothing is done any more for whoever was there before.
  await new Promise(() => {})
}

/** Nothing of whoever was signed in stays on this device. To be awaited before the page is left for good. */
export async function forgetHere (): Promise<void> {
  outbox?.clear()
  const forgotten = endEverywhere({ keepsWritten: false })
  // Its code is not needed at the start.
  await import('./core/device/shared-store.js').then(async ({ sharedStore }) => await sharedStore().clear()).catch(console.warn)
  await forgotten
}

/** Windows end with the sign-in, wherever it was ended; the next one finds them as new. */
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
    // It may have been the sign-in before this one.
    void api.get('/api/auth/status').then(({ authenticated }) => { if (authenticated) location.reload(); else link.retry() }, () =>
      link.retry())
  })
  // A page that is shown again as it was left would show what stood in it.
  addEventListener('pageshow', ({ persisted }) => { if (persisted && ended.peek()) location.reload() })
}
