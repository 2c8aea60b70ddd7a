// What the worker keeps on this device for all versions of the app: its language, whether the list of chats is folded, and that someone is
// signed in.
import { build, folder } from './build.js'

export const deviceCache = 'device'
/** Where the app's language on this device is stored, for notifications without an open window. */
const languagePlace = `${folder}language`
/** Where it is noted that the list of chats is folded. */
const railPlace = `${folder}rail-folded`
/** Where it is noted that someone is signed in. */
const signInPlace = `${folder}signed-in`
/** Whether the note was removed since a page was last received. */
let isForgotten = false

/** Stores the app's language; one that the app does not have is ignored. */
export async function keepLanguage (language) {
  if (typeof language !== 'string' || !Object.hasOwn(build.words, language)) return
  await (await caches.open(deviceCache)).put(languagePlace, new Response(language))
}

/** Returns the app's language on this device, or else the first of the browser's languages that the app has. */
export async function language () {
  const kept = await caches.match(languagePlace)
  const wanted = [await kept?.text(), ...self.navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])]
  return wanted.find((code) => Object.hasOwn(build.words, String(code))) ?? 'en'
}

/** Notes whether the list of chats is folded; anything but a boolean is ignored. */
export async function keepRail (isFolded) {
  if (typeof isFolded !== 'boolean') return
  const cache = await caches.open(deviceCache)
  await (isFolded ? cache.put(railPlace, new Response('')) : cache.delete(railPlace))
}

/** Whether the list of chats is folded on this device. */
export const isRailFolded = async () => await caches.match(railPlace) !== undefined

/** Notes that someone is signed in, as the service has just sent a page of the app. */
export async function noteSignIn () {
  isForgotten = false
  await putSignIn()
}

/** Notes what a window says: it was loaded before there was a worker. Another window may have signed out since. */
export async function noteSignInOfWindow () {
  if (!isForgotten) await putSignIn()
}

async function putSignIn () {
  await (await caches.open(deviceCache)).put(signInPlace, new Response(''))
}

/** Removes the note, as the service has answered that nobody is signed in. */
export async function removeSignIn () {
  await (await caches.open(deviceCache)).delete(signInPlace)
}

/** Whether someone was signed in when the service last answered. */
export const isSignedIn = async () => await caches.match(signInPlace) !== undefined

/** Removes the app's copies of chats (web/src/core/device/kept-store.ts), notifications about them, and the note of a sign-in. */
export async function forget () {
  isForgotten = true
  await removeSignIn()
  for (const notification of await self.registration.getNotifications()) notification.close()
  await forgetCopies()
}

function forgetCopies () {
  return new Promise((resolve) => {
    const asked = indexedDB.deleteDatabase('kept')
    asked.onsuccess = asked.onerror = asked.onblocked = () => resolve()
  })
}
