import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { prompts } from '../app.js'
import { leaving } from '../shell/rail-state.js'
import { home, refreshHome, sayHomeSeen, type Home } from './store.js'

export type Finished = Home['finished'][number]

const shown = signal<ReadonlyMap<string, Finished>>(new Map())

/**
 * What finished since the last look, and during this one, the latest first: it stays until the next look although it was seen, unless its
 * chat is being deleted.
 */
export const finished: ReadonlySignal<readonly Finished[]> = computed(() =>
  [...shown.value.values()].filter(({ session_id: id }) => !leaving.value.has(id)).toSorted((a, b) => b.finished_at - a.finished_at))

/** Whether the start has something to say; otherwise it asks what to do. */
export const hasNews: ReadonlySignal<boolean> = computed(() => prompts.waiting.value.length > 0 || finished.value.length > 0)

/** How long the start must be visible before that counts as a look. */
const lookMs = 4_000
/** Whoever was away for longer looks anew. */
const awayMs = 60_000

/** Marks everything as seen, and takes it away. */
export async function markAllSeen (): Promise<void> {
  const at = home.peek()?.now
  shown.value = new Map()
  if (at !== undefined) await sayHomeSeen(at)
}

/** One look at the start, from when it is shown until it is left, or its window for long. */
export function useVisit (): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let leftAtMs: number | null = null
    let hasLooked = false
    const begin = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        hasLooked = true
        // What ended within the second of the last answer was in it.
        say(1)
      }, lookMs)
    }
    const leave = (): void => {
      clearTimeout(timer)
      if (hasLooked) say(0)
    }
    const onVisibility = (): void => {
      if (document.visibilityState === 'hidden') {
        leftAtMs = Date.now()
        return leave()
      }
      if (leftAtMs !== null && Date.now() - leftAtMs > awayMs) renew()
      begin()
    }
    document.addEventListener('visibilitychange', onVisibility)
    renew()
    // What the service lists no longer, as it was seen, is still shown; what is new is looked at for a while as well.
    const stop = effect(() => {
      const fresh = home.value?.finished ?? []
      if (fresh.length > 0) shown.value = new Map([...shown.peek(), ...fresh.map((one) => [one.session_id, one] as const)])
      if (document.visibilityState === 'visible') begin()
    })
    return () => {
      stop()
      document.removeEventListener('visibilitychange', onVisibility)
      leave()
    }
  }, [])
}

/** Tells the service of the look, unless there is nothing new to it. */
function say (afterS: number): void {
  const value = home.peek()
  if (value !== null && value.finished.length + value.failed_runs.length > 0) void sayHomeSeen(value.now + afterS)
}

function renew (): void {
  shown.value = new Map((home.peek()?.finished ?? []).map((one) => [one.session_id, one]))
  void refreshHome()
}
