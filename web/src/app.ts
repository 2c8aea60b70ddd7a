import { Api } from './core/api.js'
import { createLink } from './core/link.js'
import { createPrompts } from './core/prompts.js'
import { createSessionList } from './core/session-list.js'
import { createSettings } from './core/settings.js'
import { createUnread } from './core/unread.js'
import { joinHub } from './core/window-hub.js'
import { words } from './words/index.js'

// What a window has once. Everything here is free of how it looks, and tested without a browser.

const serviceName = document.title

/** Leaves for the page to sign in, which leads back here. */
export function signIn (): void {
  location.assign(`/login?next=${encodeURIComponent(location.pathname)}`)
}

export const api = new Api({
  // Another sign-in has another token: whoever changes how one signs in puts it there.
  get csrfToken () { return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '' },
  words: { unreachable: () => words.value.common.unreachable, status: (status) => words.value.common.failed(status) },
  onSignedOut: signIn
})
export const link = createLink(joinHub)
export const sessions = createSessionList({ api, link })
export const prompts = createPrompts({ api, link })
export const settings = createSettings({ link, serviceName })
export const unread = createUnread({ store: localStorage, nowS: () => Date.now() / 1_000 })
