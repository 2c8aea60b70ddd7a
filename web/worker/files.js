// The app's own files, which this device stores: they have a hash in their names, and never change.
import { build, folder } from './build.js'
import { deviceCache, language } from './device.js'

const cacheName = `app ${build.version}`

/** Returns the names of the files that a page begins with. */
const firstFiles = async () => [...build.first, ...build.words[await language()]]

/** Stores what a page begins with. */
export async function keepFirst () {
  const cache = await caches.open(cacheName)
  await cache.addAll((await firstFiles()).map((name) => new Request(folder + name)))
}

/** Whether everything that a page begins with is stored. */
export async function hasFirst () {
  const kept = await Promise.all((await firstFiles()).map((name) => caches.match(folder + name, { ignoreVary: true })))
  return kept.every((response) => response !== undefined)
}

/** Removes other caches, except that of the previous version, whose files are still needed by windows that are open. */
export async function takeOver () {
  const names = await caches.keys()
  const kept = names.filter((name) => name.startsWith('app ') && name !== cacheName).slice(-1)
  await Promise.all(names.filter((name) => ![cacheName, deviceCache, ...kept].includes(name)).map((name) => caches.delete(name)))
  // If a preload fails, Firefox 153 shows its own error page, whatever the worker answers.
  const preload = self.registration.navigationPreload
  await (/ Firefox\//.test(navigator.userAgent) ? preload?.disable() : preload?.enable())
  await self.clients.claim()
}

/** Answers with a built file, which is stored with its first use. */
export async function file (request) {
  const kept = await caches.match(request, { ignoreVary: true })
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.status === 200) {
    const cache = await caches.open(cacheName)
    await cache.put(request, response.clone()).catch(() => {})
  }
  return response
}

/** Caches the remaining files one after the other, when a window is idle. Of the languages, only this device's. */
export async function fill () {
  const cache = await caches.open(cacheName)
  for (const name of [...build.words[await language()], ...build.rest]) {
    const request = new Request(folder + name)
    if (await cache.match(request, { ignoreVary: true }) === undefined) await cache.add(request).catch(() => {})
  }
}
