// The page of the app: the service's, or the one that is stored.
import { build, folder } from './build.js'
import { isRailFolded, isSignedIn, language, noteSignIn, removeSignIn } from './device.js'
import { hasFirst } from './files.js'

/** How long to wait for the service before the cached page is shown, where that one is not shown at once. */
const patienceMs = 600

const never = /^\/(?:api|login|docs|help|share|static|health|livez|readyz)(?:\/|$)/

/** Whether the path may be one of the app. */
export function isApp (pathname) {
  return !never.test(pathname) && !/\.\w+$/.test(pathname)
}

/**
 * Returns the answer of the service unchanged. Its preload has begun already: if the browser handled the request, it would send it again,
 * and a link that works only once would fail.
 */
export async function asAsked (event) {
  return await event.preloadResponse ?? await fetch(event.request)
}

/**
 * Returns the cached page at once while someone is signed in here: it finds out itself who that is, and reads the rest from the service.
 * Otherwise, and for a reload, returns the page of the service if it answers, which knows who is signed in and which version is the latest.
 */
export async function page (event, pathname) {
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

/** Whether someone was signed in when the service last answered, and everything that the page begins with is here. */
async function opensAtOnce () {
  const [isKnown, isComplete] = await Promise.all([isSignedIn(), hasFirst()])
  return isKnown && isComplete
}

/** A page means that someone is signed in; a redirect leads to the sign-in. */
async function noteAnswer (answer) {
  if (answer?.type === 'opaqueredirect') await removeSignIn()
  else if (answer?.status === 200) await noteSignIn()
}

/**
 * Like the service's (routes/pages.ts), the page asks for its document, its words and a chat's code before its script runs, and speaks the
 * app's language if the script does not run. Only the home screen has the box that can be used before that, beside the list of chats as the
 * app will draw it.
 */
async function keptPage (pathname) {
  const id = /^\/session\/([\w-]+)$/.exec(pathname)?.[1]
  const spoken = await language()
  const early = build.early[spoken] + (id === undefined ? '' : build.earlyInChat)
  const words = build.startWords[spoken]
  const [before, box, after] = build.page.split('<!-- home -->')
  const page = `${before}${pathname === '/' ? box : ''}${after}`.replace(/\{\{(\w+)\}\}/g, (place, name) => words[name] ?? place)
    .replace('"/api/start"', `"/api/start${id === undefined ? '' : `?session_id=${id}`}"`)
  const begun = pathname === '/' ? beginsPainted(await isRailFolded() ? foldsRail(page) : page) : page
  return new Response(begun.replace('</head>', () => `${early}</head>`), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': build.policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff'
    }
  })
}

const foldsRail = (page) => page.replace('class="shell" data-first', '$& data-rail="folded"')

/** Has the page run the app's script once it has painted its own box (begin.js). */
const beginsPainted = (page) => page.replace(/<script type="module" crossorigin src="([^"]+)"><\/script>/, (_, script) =>
  `<link rel="modulepreload" crossorigin href="${script}"><script type="module" src="${folder}${build.begin}"></script>`)
