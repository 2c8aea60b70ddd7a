import { effect, signal } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { api, appVersion, confirmLogin, isSignedOut, link, login, offlineCopies, outbox, sessions } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { waitingCount } from '../home/store.js'
import { places } from '../shell/places.js'
import { railFolded } from '../shell/rail-fold.js'
import { idle } from '../ui/idle.js'
import { toast } from '../ui/toasts.js'
import { language, words } from '../words/index.js'

/** The delays between attempts to send, short at first, because nothing reports that the connection is back. */
const againMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** Within what time of its start a page that came from the cache is replaced by the version that the service has meanwhile. */
const freshMs = 10_000
const isFromCache = !login.isConfirmed.peek()

/** Shows this device's copies, stores new ones, and sends unsent messages when possible. Called once, before anything is drawn. */
export function startOffline (): void {
  void offlineCopies.list().then((copy) => { if (copy !== null) sessions.offer(copy.list) })
  effect(() => {
    const { value: rows } = sessions.rows
    const list = { sessions: [...rows], pinned: [], next_cursor: null, version: 0 }
    if (sessions.isKnown.value && !sessions.isKept.value) offlineCopies.putList(list)
  })
  link.onFrame(({ event, data }) => {
    if (event === 'session_gone') void offlineCopies.drop(data.session_id)
    // A message may have waited for the end of a turn.
    if (outbox !== undefined && outbox.unsent.peek().length > 0 && (event === 'snapshot' || event === 'session' || event === 'sessions')) {
      void outbox.flush()
    }
  })
  effect(() => {
    if (link.state.value !== 'open') return
    if (login.isConfirmed.value) void outbox?.flush()
    else void confirmSoon()
  })
  startOutbox()
  learnVersions()
  effect(() => showBadge(isSignedOut.value ? 0 : waitingCount.value))
  effect(() => { if (isSignedOut.value) void closeNotifications().catch(console.warn) })
  void startWorker()
}

/** Asks the service to confirm whose page this is; until then, nothing is sent. */
async function confirmSoon (): Promise<void> {
  try {
    await confirmLogin()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    setTimeout(() => { if (link.state.peek() === 'open') void confirmSoon() }, againMs[1])
  }
}

/** Compares builds after a reconnect: a restarted service may have another build of the app. */
function learnVersions (): void {
  let isFirst = true
  link.onFrame(({ event }) => {
    if (event === 'snapshot' && !isFirst) void appVersion.ask(api)
    if (event === 'snapshot') isFirst = false
  })
  // A part of the app could not be loaded.
  addEventListener('vite:preloadError', () => { void appVersion.ask(api) })
}

function startOutbox (): void {
  const box = outbox
  if (box === undefined) return
  addEventListener('storage', () => box.look())
  // The system reports that it is online again; a seemingly open connection may have died meanwhile.
  addEventListener('online', () => { link.retry() })
  let tries = 0
  const again = (): void => {
    setTimeout(() => {
      const waits = box.unsent.peek().some(({ problem }) => problem === null)
      tries = waits ? tries + 1 : 0
      if (waits) void box.flush()
      again()
    }, againMs[Math.min(tries, againMs.length - 1)])
  }
  again()
  box.onSent((message, sessionId) => {
    const path = places.session(sessionId)
    if (location.pathname === path) return
    // The person waits on the empty page for this chat to begin.
    const isOnStart = location.pathname === places.start || location.pathname === places.newChat
    if (message.sessionId === null && isOnStart) return navigate(path, { replace: true })
    toast(words.value.offline.sentLater, { kind: 'good', action: { text: words.value.offline.open, onPick: () => navigate(path) } })
  })
}

/** Sets the badge on the icon of the installed app. */
function showBadge (count: number): void {
  const badge: Partial<Navigator> = navigator
  void (count === 0 ? badge.clearAppBadge?.() : badge.setAppBadge?.(count))?.catch(() => {})
}

/** Closes notifications, which name chats of the person who was signed in. */
async function closeNotifications (): Promise<void> {
  const { serviceWorker }: Partial<Navigator> = navigator
  const shown = await (await serviceWorker?.getRegistration())?.getNotifications() ?? []
  for (const notification of shown) notification.close()
}

/** Whether the page came from this device's cache just now and nobody has touched it yet, so that its next version can replace it. */
function isFresh (): boolean {
  const { userActivation }: Partial<Navigator> = navigator
  return isFromCache && userActivation?.hasBeenActive === false && performance.now() < freshMs
}

async function startWorker (): Promise<void> {
  const { serviceWorker }: Partial<Navigator> = navigator
  if (serviceWorker === undefined) return
  let isControlled = serviceWorker.controller !== null
  /** Counts the workers that have taken control. */
  const workers = signal(0)
  serviceWorker.addEventListener('controllerchange', () => {
    // The first worker only takes control of the window; a later one brings a new version of the app.
    if (isControlled && isFresh()) location.reload()
    else if (isControlled) appVersion.replaced()
    isControlled = true
    workers.value++
  })
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data.open === 'string' && data.open.startsWith('/')) navigate(data.open)
  })
  serviceWorker.startMessages()
  await idle
  try {
    await serviceWorker.register('/sw.js')
    const registration = await serviceWorker.ready
    registration.active?.postMessage({ fill: true, isSignedIn: login.isConfirmed.peek() && !isSignedOut.peek() })
    effect(() => {
      // After an update, another worker is active.
      void workers.value
      registration.active?.postMessage({ language: language.value, isRailFolded: railFolded.value })
    })
  } catch {
    // A browser may forbid it, such as in a private window; then nothing is stored.
  }
}
