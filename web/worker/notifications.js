// Notifications about what waits or has happened while no window is open.
import { untitled } from '../src/core/sessions/title.ts'
import { build, folder } from './build.js'
import { language } from './device.js'
import { isApp } from './page.js'

/** Shows the notification that was pushed. */
export async function show (received) {
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
  await self.registration.showNotification(title === untitled ? texts.untitled : title || build.name, {
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

/** Shows a path: focuses a window that already shows it, or navigates an open window there, or opens a new one. */
export async function open (path) {
  const windows = (await clients.matchAll({ type: 'window' })).filter(({ url }) => isApp(new URL(url).pathname))
  const there = windows.find(({ url }) => new URL(url).pathname === path)
  const window = there ?? windows[0]
  if (window === undefined) return await clients.openWindow(path)
  if (there === undefined) window.postMessage({ open: path })
  await window.focus()
}
