import { Api } from './core/api.js'
import { createAppVersion } from './core/app-version.js'
import { createKept } from './core/kept.js'
import { indexedStore } from './core/kept-store.js'
import { createLink } from './core/link.js'
import { createLogin, noToken } from './core/login.js'
import { createOutbox, windowLock, type Outbox } from './core/outbox.js'
import { createPrompts } from './core/prompts.js'
import { createSessionList } from './core/session-list.js'
import { createSettings } from './core/settings.js'
import { createUnread } from './core/unread.js'
import { joinHub } from './core/window-hub.js'
import { words } from './words/index.js'

// What a window has once. Everything here is free of how it looks, and tested without a browser.

const serviceName = document.title
const readMeta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const readToken = (): string => readMeta('csrf-token')

/** What requests of the page carry. */
function setToken (token: string): void {
  document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.setAttribute('content', token)
}

/** Leaves for the page to sign in, which leads back here. What was read by whoever was signed in does not stay on this device. */
export function signIn (): void {
  const leave = (): void => location.assign(`/login?next=${encodeURIComponent(location.pathname)}`)
  void kept.clear().then(leave, leave)
}

/** The same person has another token from now on: what waits to be sent stays theirs. */
export function renewToken (token: string): void {
  const before = login.key
  setToken(token)
  login.renew(token)
  if (login.key !== before) outbox?.follow(before)
}

export const login = createLogin({ token: readToken(), store: localStorage })
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
export const unread = createUnread({ store: localStorage, nowS: () => Date.now() / 1_000 })

/** What could not be handed over yet; undefined in a browser that cannot keep two windows from sending the same. */
export const outbox: Outbox | undefined = ((alone) => alone === null
  ? undefined
  : createOutbox({
    api,
    store: localStorage,
    login: login.shared,
    alone,
    isOpen: () => link.state.peek() === 'open' && login.isConfirmed.peek(),
    isCut: () => link.state.peek() === 'lost' || !navigator.onLine || !login.isConfirmed.peek()
  }))(windowLock())

let confirming: Promise<void> | null = null

/** The page is this device's own: the service says now whose it is, and what requests have to carry. Once for all who ask meanwhile; throws ApiError. */
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
  // Its code is not needed at the start.
  await import('./core/shared-store.js').then(async ({ sharedStore }) => await sharedStore().clear()).catch(console.warn)
  await kept.clear()
}
