/* global self, caches, fetch, clients, indexedDB, navigator, Response, Request, URL, setTimeout, clearTimeout */
// The service worker. It caches the app's own files, shows the page while the service cannot be reached, and notifies the person of what
// waits while no window is open. It accepts what other apps share with this one, and stores it until a window takes it. It passes requests
// for /api, /login, /docs, /help and shared pages on unchanged.

/** The result of build.js; the service inserts it here. */
const build = /* build */ null
const folder = '/static/app/'
/** The script of a cached home screen, which this worker answers with. */
const beginPath = `${folder}begin.js`
const cacheName = `app ${build.version}`
/** The path to which the system posts what another app shares, as in the manifest. */
const sharePath = '/take-shared'
/** Limits of what is stored: as many files as a message may have, and their total size. */
const mostShared = 20
const mostSharedBytes = 512 * 1024 * 1024
/** How long to wait for the service before the cached page is shown, where that one is not shown at once. */
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

/** Removes other caches, except that of the previous version, whose files are still needed by windows that are open. */
async function takeOver () {
  const names = await caches.keys()
  const kept = names.filter((name) => name.startsWith('app ') && name !== cacheName).slice(-1)
  await Promise.all(names.filter((name) => ![cacheName, deviceCache, ...kept].includes(name)).map((name) => caches.delete(name)))
  // If a preload fails, Firefox 153 shows its own error page, whatever the worker answers.
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
    if (pathname === beginPath) event.respondWith(new Response(beginning, { headers: { 'content-type': 'text/javascript' } }))
    else if (pathname.startsWith(folder)) event.respondWith(file(request))
  } else {
    // Someone else may sign in, so copies of what the previous person has read are removed.
    if (pathname === '/login') event.waitUntil(forget())
    event.respondWith(isApp(pathname) ? page(event, pathname) : asAsked(event))
  }
})

/**
 * Returns the answer of the service unchanged. Its preload has begun already: if the browser handled the request, it would send it again,
 * and a link that works only once would fail.
 */
async function asAsked (event) {
  return await event.preloadResponse ?? await fetch(event.request)
}

const never = /^\/(?:api|login|docs|help|share|static|health|livez|readyz)(?:\/|$)/
function isApp (pathname) {
  return !never.test(pathname) && !/\.\w+$/.test(pathname)
}

/**
 * Runs the app's script once the page has painted its own box: from this device, both are there at once, and the script could run first. A
 * hidden page paints nothing.
 */
const beginning = `
const { href } = document.querySelector('link[rel="modulepreload"]')
const begin = () => import(href)
requestAnimationFrame(() => setTimeout(begin))
document.addEventListener('visibilitychange', begin, { once: true })
if (document.visibilityState === 'hidden') begin()
`

const beginsPainted = (page) => page.replace(/<script type="module" crossorigin src="([^"]+)"><\/script>/, (_, script) =>
  `<link rel="modulepreload" crossorigin href="${script}"><script type="module" src="${beginPath}"></script>`)

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

/**
 * Returns the cached page at once while someone is signed in here: it finds out itself who that is, and reads the rest from the service.
 * Otherwise, and for a reload, returns the page of the service if it answers, which knows who is signed in and which version is the latest.
 */
async function page (event, pathname) {
  const asked = Promise.resolve(event.preloadResponse).then((preloaded) => preloaded ?? fetch(event.request)).catch(() => null)
  const isPlace = build.places.some((place) => new RegExp(place).test(pathname))
  if (isPlace) event.waitUntil(asked.then(noteAnswer))
  if (isPlace && event.request.cache === 'default' && await opensAtOnce()) return keptPage(pathname)
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve(null), patienceMs) })
  const answer = await Promise.race([asked, late])
  clearTimeout(timer)
  // A proxy answers with these if it cannot reach the service.
  const isThere = answer !== null && ![502, 503, 504].includes(answer.status)
  return isThere ? answer : keptPage(pathname)
}

/** A page means that someone is signed in; a redirect leads to the sign-in. */
async function noteAnswer (answer) {
  if (answer?.type === 'opaqueredirect') await (await caches.open(deviceCache)).delete(signInPlace)
  else if (answer?.status === 200) {
    isForgotten = false
    await noteSignIn()
  }
}

async function noteSignIn () {
  await (await caches.open(deviceCache)).put(signInPlace, new Response(''))
}

/** Whether someone was signed in when the service last answered, and everything that the page begins with is here. */
async function opensAtOnce () {
  const names = [...build.first, ...build.words[await language()]]
  const places = [signInPlace, ...names.map((name) => folder + name)]
  const kept = await Promise.all(places.map((place) => caches.match(place, { ignoreVary: true })))
  return kept.every((response) => response !== undefined)
}

/**
 * Like the service's (routes/pages.ts), the page asks for its document, its words and a chat's code before its script runs, and speaks the
 * app's language if the script does not run. Only the home screen has the box that can be used before that.
 */
async function keptPage (pathname) {
  const id = /^\/session\/([\w-]+)$/.exec(pathname)?.[1]
  const spoken = await language()
  const early = build.early[spoken] + (id === undefined ? '' : build.earlyInChat)
  const words = build.startWords[spoken]
  const [before, box, after] = build.page.split('<!-- home -->')
  const page = `${before}${pathname === '/' ? box : ''}${after}`.replace(/\{\{(\w+)\}\}/g, (place, name) => words[name] ?? place)
    .replace('"/api/start"', `"/api/start${id === undefined ? '' : `?session_id=${id}`}"`)
  const begun = pathname === '/' ? beginsPainted(page) : page
  return new Response(begun.replace('</head>', () => `${early}</head>`), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': build.policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    }
  })
}

/**
 * Whether a form comes from another site, as far as a worker can tell: a share of the system names no site, or the app that it comes from.
 * A site that hides its origin looks the same, so windows of a browser ask before they take anything (web/src/offline/take-shared.ts).
 */
function isOfOtherSite ({ mode, headers, referrer }) {
  const named = [headers.get('origin') ?? '', referrer].filter((address) => /^https?:/.test(address))
  return mode !== 'navigate' || named.some((address) => new URL(address).origin !== self.location.origin)
}

async function notTaken () {
  return Response.redirect('/?shared=failed', 303)
}

/** Stores what is shared first, because nobody may be signed in and the service may be away. The window that opens takes it from there. */
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

/** Stores a share in the database that web/src/core/device/shared-store.ts reads. Resolves with false if it is empty. */
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

/** Removes the app's copies of chats (web/src/core/device/kept-store.ts), notifications about them, and the note of a sign-in. */
async function forget () {
  isForgotten = true
  await (await caches.open(deviceCache)).delete(signInPlace)
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
  const { fill: isIdle, isSignedIn, language } = event.data ?? {}
  if (typeof language === 'string' && Object.hasOwn(build.words, language)) event.waitUntil(speak(language))
  // The first page was loaded before there was a worker that could note it. Another window may have signed out since.
  if (isSignedIn === true && !isForgotten) event.waitUntil(noteSignIn())
  if (isIdle === true) event.waitUntil(fill())
})

/** Caches the remaining files one after the other, when a window is idle. Of the languages, only this device's. */
async function fill () {
  const cache = await caches.open(cacheName)
  for (const name of [...build.words[await language()], ...build.rest]) {
    const request = new Request(folder + name)
    if (await cache.match(request, { ignoreVary: true }) === undefined) await cache.add(request).catch(() => {})
  }
}

/** Where the app's language on this device is stored, for notifications without an open window. All versions of the app share it. */
const languagePlace = `${folder}language`
/** Where it is noted that someone is signed in. */
const signInPlace = `${folder}signed-in`
/** Whether the note was removed since a page was last received. */
let isForgotten = false
const deviceCache = 'device'

async function speak (language) {
  const cache = await caches.open(deviceCache)
  await cache.put(languagePlace, new Response(language))
}

/** Returns the app's language on this device, or else the first of the browser's languages that the app has. */
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
  // Notifications have no buttons for decisions, because a person must see what they allow.
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

/** Returns a sentence about what happened during a day or quiet hours. */
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

/** Shows a path: focuses a window that already shows it, or navigates an open window there, or opens a new one. */
async function open (path) {
  const windows = (await clients.matchAll({ type: 'window' })).filter(({ url }) => isApp(new URL(url).pathname))
  const there = windows.find(({ url }) => new URL(url).pathname === path)
  const window = there ?? windows[0]
  if (window === undefined) return await clients.openWindow(path)
  if (there === undefined) window.postMessage({ open: path })
  await window.focus()
}
