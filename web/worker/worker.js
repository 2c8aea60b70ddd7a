// The service worker. It stores the app's own files, shows the page while the service cannot be reached, notifies the person of what waits
// while no window is open, and takes what other apps share. Requests for /api, /login, /docs, /help and shared pages pass unchanged.
import { folder } from './build.js'
import { forget, keepLanguage, keepRail, noteSignInOfWindow } from './device.js'
import { file, fill, keepFirst, takeOver } from './files.js'
import { open, show } from './notifications.js'
import { asAsked, isApp, page } from './page.js'
import { answerShare, sharePath } from './sharing.js'

self.addEventListener('install', (event) => {
  event.waitUntil(keepFirst().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== self.location.origin) return
  if (request.method === 'POST' && pathname === sharePath) return event.respondWith(answerShare(request))
  if (request.method !== 'GET') return
  if (request.mode !== 'navigate') {
    if (pathname.startsWith(folder)) event.respondWith(file(request))
    return
  }
  // Someone else may sign in, so copies of what the previous person has read are removed.
  if (pathname === '/login') event.waitUntil(forget())
  event.respondWith(isApp(pathname) ? page(event, pathname) : asAsked(event))
})

self.addEventListener('message', (event) => {
  const { fill: isIdle, isSignedIn, language, isRailFolded } = event.data ?? {}
  event.waitUntil(keepLanguage(language))
  event.waitUntil(keepRail(isRailFolded))
  if (isSignedIn === true) event.waitUntil(noteSignInOfWindow())
  if (isIdle === true) event.waitUntil(fill())
})

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.path ?? '/'))
})
