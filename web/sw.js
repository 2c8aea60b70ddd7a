/* global self, caches */
// The page keeps nothing in the browser. Another app that was served at this address before may have: its worker asks
// for this file, is replaced by it, and what it has kept is given up.

self.addEventListener('install', () => { self.skipWaiting() })

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.map((name) => caches.delete(name))))
    .then(() => self.registration.unregister()))
})
