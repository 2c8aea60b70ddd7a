// What other apps share with this one: the worker stores it until a window takes it.

/** The path to which the system posts what another app shares, as in the manifest. */
export const sharePath = '/take-shared'
/** Limits of what is stored: as many files as a message may have, and their total size. */
const mostShared = 20
const mostSharedBytes = 512 * 1024 * 1024

/** Answers a form with what another app shares. */
export async function answerShare (request) {
  return isOfOtherSite(request) ? notTaken() : await takeShared(request)
}

/**
 * Whether a form comes from another site, as far as a worker can tell: a share of the system names no site, or the app that it comes from.
 * A site that hides its origin looks the same, so windows of a browser ask before they take anything (web/src/offline/take-shared.ts).
 */
function isOfOtherSite ({ mode, headers, referrer }) {
  const named = [headers.get('origin') ?? '', referrer].filter((address) => /^https?:/.test(address))
  return mode !== 'navigate' || named.some((address) => new URL(address).origin !== self.location.origin)
}

const notTaken = () => Response.redirect('/?shared=failed', 303)

/** Stores what is shared first, because nobody may be signed in and the service may be away. The window that opens takes it from there. */
async function takeShared (request) {
  let isKept
  try {
    isKept = await keepShared(sharedIn(await request.formData()))
  } catch {
    return notTaken()
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
