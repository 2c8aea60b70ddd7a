/* global self, caches, fetch, clients, indexedDB, navigator, Response, Request, URL, setTimeout, clearTimeout */
// Stands between the app and the network: it keeps the app's own files, shows the page while the
// service cannot be reached, and tells of what
// waits while nobody looks. It takes what other apps share with this one, and keeps that until a
// window has it. What the service says is not
// its business: what is asked of /api, /login, /docs, /help or shared pages is handed on as it is.

/** What build.js has made; the service fills it in. */
const build = /* build */ null
const folder = '/static/app/'
const cacheName = `app ${build.version}`
/** Where the system posts what another app shares, as the manifest names it. */
const sharePath = '/take-shared'
/** As many files go with a message, and so much of them is kept here. */
const mostShared = 20
const mostSharedBytes = 512 * 1024 * 1024
/**
 * After so long without an answer the page is shown as it is kept, and asks by itself who is signed in: nobody
 * waits for a slow network to see the box.
 */
const patienceMs = 600

self.addEventListener('install', (event) => {
  event.waitUntil(keepFirst().then(() => self.skipWaiting()))
})

async function keepFirst () {
  const cache = await caches.open(cacheName)
  await cache.addAll([...build.first, ...build.words[await language()]].map((name) => new Request(folder + name)))
}

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver())
})

/**
 * Windows that were opened before go on with the files they began with: those of the version before stay. What other apps have left goes.
 */
async function takeOver () {
  const names = await caches.keys()
  const kept = names.filter((name) => name.startsWith('app ') && name !== cacheName).slice(-1)
  await Promise.all(names.filter((name) => ![cacheName, deviceCache, ...kept].includes(name)).map((name) => caches.delete(name)))
  // Where the service cannot be reached, Firefox 153 shows its own error page for a preload that fails, whatever the worker answers.
  const preload = self.registration.navigationPreload
  await (/ Firefox\//.test(navigator.userAgent) ? preload?.disable() : preload?.enable())
  await self.clients.claim()
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method === 'POST' && origin === self.location.origin && pathname === sharePath) {
    return event.respondWith(isOfOtherSite(request) ? notTaken() : takeShared(request))
  }
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode !== 'navigate') {
    if (pathname.startsWith(folder)) event.respondWith(file(request))
  } else {
    // Whoever signs in may be another: copies of what the one before has read go.
    if (pathname === '/login') event.waitUntil(forget())
    event.respondWith(isApp(pathname) ? page(event) : asAsked(event))
  }
})

/**
 * The answer of the service as it is. It is on its way already: left to the browser, it would be asked for once more, and
 * what counts once would have been used up.
 */
async function asAsked (event) {
  return await event.preloadResponse ?? await fetch(event.request)
}

const never = /^\/(?:api|login|docs|help|share|static|health|livez|readyz)(?:\/|$)/
function isApp (pathname) {
  return !never.test(pathname) && !/\.\w+$/.test(pathname)
}

async function file (request) {
  const kept = await caches.match(request, { ignoreVary: true })
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.status === 200) {
    const cache = await caches.open(cacheName)
    await cache.put(request, response.clone()).catch(() => {})
  }
  return response
}

/** The service's own page where it answers: only that knows who is signed in. */
async function page (event) {
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve(null), patienceMs) })
  const asked = Promise.resolve(event.preloadResponse).then((preloaded) => preloaded ?? fetch(event.request)).catch(() => null)
  const answer = await Promise.race([asked, late])
  clearTimeout(timer)
  // What a proxy says when there is no service behind it.
  const isThere = answer !== null && ![502, 503, 504].includes(answer.status)
  return isThere ? answer : keptPage()
}

function keptPage () {
  return new Response(build.page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': build.policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    }
  })
}

/**
 * A form of another site, as far as a worker is told: what the system shares names no site, or the app that it comes from. A site that
 * hides itself looks the same from here; windows of a browser therefore ask before they take anything (web/src/offline/take-shared.ts).
 */
function isOfOtherSite ({ mode, headers, referrer }) {
  const named = [headers.get('origin') ?? '', referrer].filter((address) => /^https?:/.test(address))
  return mode !== 'navigate' || named.some((address) => new URL(address).origin !== self.location.origin)
}

async function notTaken () {
  return Response.redirect('/?shared=failed', 303)
}

/** Kept before anything else is done: nobody may be signed in, and the service may not be there. A window opens, and takes it from here. */
async function takeShared (request) {
  let isKept
  try {
    isKept = await keepShared(sharedIn(await request.formData()))
  } catch {
    return Response.redirect('/?shared=failed', 303)
  }
  return Response.redirect(isKept ? '/?shared=kept' : '/', 303)
}

function sharedIn (form) {
  const texts = ['title', 'text', 'url'].map((name) => form.get(name)).filter((text) => typeof text === 'string').map((text) => text.trim())
  const all = form.getAll('files').filter((file) => typeof file !== 'string' && (file.size > 0 || file.name !== ''))
  const files = []
  const leftOut = []
  let bytes = 0
  for (const file of all) {
    const why = files.length === mostShared ? 'many' : bytes + file.size > mostSharedBytes ? 'large' : null
    if (why !== null) leftOut.push({ name: file.name, why })
    else {
      files.push(file)
      bytes += file.size
    }
  }
  return { text: [...new Set(texts)].filter((text) => text !== '').join('\n'), files, leftOut, atMs: Date.now() }
}

/** In the database that web/src/core/device/shared-store.ts reads. */
function keepShared (share) {
  if (share.text === '' && share.files.length === 0 && share.leftOut.length === 0) return false
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open('shared', 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore('shared', { autoIncrement: true })
    asked.onerror = () => reject(asked.error)
    asked.onsuccess = () => {
      const transaction = asked.result.transaction('shared', 'readwrite')
      transaction.objectStore('shared').add(share)
      transaction.oncomplete = () => { asked.result.close(); resolve(true) }
      transaction.onabort = () => { asked.result.close(); reject(transaction.error) }
    }
  })
}

/** What the app keeps of chats (web/src/core/device/kept-store.ts), and what is shown of them outside of it. */
async function forget () {
  for (const notification of await self.registration.getNotifications()) notification.close()
  await forgetCopies()
}

function forgetCopies () {
  return new Promise((resolve) => {
    const asked = indexedDB.deleteDatabase('kept')
    asked.onsuccess = asked.onerror = asked.onblocked = () => resolve()
  })
}

self.addEventListener('message', (event) => {
  const { fill: isIdle, language } = event.data ?? {}
  if (typeof language === 'string' && Object.hasOwn(build.words, language)) event.waitUntil(speak(language))
  if (isIdle === true) event.waitUntil(fill())
})

/** The files that are not needed at once, one after the other, when a window has time for it; of languages those of this device alone. */
async function fill () {
  const cache = await caches.open(cacheName)
  for (const name of [...build.words[await language()], ...build.rest]) {
    const request = new Request(folder + name)
    if (await cache.match(request, { ignoreVary: true }) === undefined) await cache.add(request).catch(() => {})
  }
}

/** Where the language that the app speaks on this device is kept, for when no window is open; versions of the app have it in common. */
const languagePlace = `${folder}language`
const deviceCache = 'device'

async function speak (language) {
  const cache = await caches.open(deviceCache)
  await cache.put(languagePlace, new Response(language))
}

/** The language of the app on this device, else the first of the browser's that the app speaks. */
async function language () {
  const kept = await caches.match(languagePlace)
  const wanted = [await kept?.text(), ...self.navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])]
  return wanted.find((code) => Object.hasOwn(build.words, String(code))) ?? 'en'
}

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data))
})

async function show (received) {
  const texts = build.notifications[await language()]
  const { kind, title, session_id: sessionId, pull_number: pullNumber, status, counts, tag } = read(received)
  const isBad = (kind === 'turn' || kind === 'job') && typeof status === 'string' &&
    !['completed', 'succeeded', 'success', 'ok'].includes(status)
  // Nothing is decided from here: whoever allows something has to see it.
  const body = kind === 'digest'
    ? digestOf(texts, counts)
    : kind === 'pull'
      ? pullNews(Object.hasOwn(texts.pull, status) ? texts.pull[status] : texts.other, pullNumber)
      : status === 'resumed' ? texts.resumed : status === 'at_limit' ? texts.atLimit : isBad ? texts.failed : texts[kind]
  await self.registration.showNotification(title || build.name, {
    body: body ?? texts.other,
    icon: folder + build.icon,
    data: { path: placeOf(kind, sessionId) },
    ...(typeof tag === 'string' ? { tag, renotify: true } : {})
  })
  if (kind === 'approval' || kind === 'question') await self.navigator.setAppBadge?.().catch(() => {})
}

const pullNews = (news, number) => Number.isInteger(number) ? `#${number}: ${news}` : news

/** What happened over a day or over quiet hours, in a sentence. */
function digestOf ({ counted, comma }, counts = {}) {
  const said = ['waiting', 'ended', 'failed', 'running', 'queued'].filter((name) => counts[name] > 0)
  return said.length === 0 ? undefined : said.map((name) => counted[name].replace('{count}', counts[name])).join(comma)
}

function read (received) {
  try {
    return received?.json() ?? {}
  } catch {
    return {}
  }
}

function placeOf (kind, sessionId) {
  if (typeof sessionId === 'string') return `/session/${encodeURIComponent(sessionId)}`
  if (kind === 'digest') return '/away'
  return kind === 'job' ? '/tasks' : '/'
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.path ?? '/'))
})

/** A window that is open goes there, and comes to the front; one that looks at it already before all others. */
async function open (path) {
  const windows = (await clients.matchAll({ type: 'window' })).filter(({ url }) => isApp(new URL(url).pathname))
  const there = windows.find(({ url }) => new URL(url).pathname === path)
  const window = there ?? windows[0]
  if (window === undefined) return await clients.openWindow(path)
  if (there === undefined) window.postMessage({ open: path })
  await window.focus()
}
