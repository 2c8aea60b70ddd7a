import { effect } from '@preact/signals'
import { prompts } from '../app.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

/** The event with which some browsers report that the app can be installed. */
interface InstallEvent extends Event { prompt: () => Promise<unknown> }
const isInstall = (event: Event): event is InstallEvent => 'prompt' in event

const storageKey = 'install'
/** A window that is opened again within this time belongs to the same visit. */
const visitMs = 30 * 60_000

interface Known { visits: number, lastMs: number, isOffered: boolean }

/** Offers once to install the app: on the second visit, or when the person has answered a prompt for the first time. Called once. */
export function offerInstall (): void {
  const known = visited(read(), Date.now())
  keep(known)
  if (known.isOffered) return
  let event: InstallEvent | null = null
  let hasAnswered = false
  const offer = (): void => {
    const current = event
    if (current === null || known.isOffered || (known.visits < 2 && !hasAnswered)) return
    known.isOffered = true
    keep(known)
    const { installOffer, install } = words.value.shell
    toast(installOffer, { action: { text: install, onPick: () => { current.prompt().catch(() => {}) } }, about: 'install' })
  }
  addEventListener('beforeinstallprompt', (prompt) => {
    if (!isInstall(prompt)) return
    // Suppresses the browser's own banner, which would come at a time of its own.
    prompt.preventDefault()
    event = prompt
    offer()
  })
  let wasAnswering = false
  effect(() => {
    const isAnswering = prompts.answering.value.size > 0
    if (wasAnswering && !isAnswering) {
      hasAnswered = true
      offer()
    }
    wasAnswering = isAnswering
  })
}

/** Counts a visit, unless the last one has only just ended. */
const visited = ({ visits, lastMs, isOffered }: Known, nowMs: number): Known =>
  ({ visits: nowMs - lastMs > visitMs ? visits + 1 : visits, lastMs: nowMs, isOffered })

function read (): Known {
  const [visits, lastMs, offered] = (localStorage.getItem(storageKey) ?? '').split(' ').map(Number)
  return { visits: visits ?? 0, lastMs: lastMs ?? 0, isOffered: offered === 1 }
}

function keep ({ visits, lastMs, isOffered }: Known): void {
  try { localStorage.setItem(storageKey, [visits, lastMs, isOffered ? 1 : 0].join(' ')) } catch {}
}
