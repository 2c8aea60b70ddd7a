import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { leaving } from '../shell/rail-state.js'
import { home, refreshHome, sayHomeSeen, waitingCount, type Home } from './store.js'

export type Finished = Home['finished'][number]

const shown = signal<ReadonlyMap<string, Finished>>(new Map())

/**
 * What finished since the last visit, and during this one, the latest first. It stays until the next visit although it was seen, unless its
 * chat is being deleted.
 */
export const finished: ReadonlySignal<readonly Finished[]> = computed(() =>
  [...shown.value.values()].filter(({ session_id: id }) => !leaving.value.has(id)).toSorted((a, b) => b.finished_at - a.finished_at))

/** Whether the start has something to say; otherwise it asks what to do. */
export const hasNews: ReadonlySignal<boolean> = computed(() => waitingCount.value > 0 || finished.value.length > 0)

/** How long the start must be visible before that counts as a visit. */
const lookMs = 4_000
/** A person who was away for longer than this begins another visit. */
const awayMs = 60_000

/** Marks everything as seen, and removes it from view. */
export async function markAllSeen (): Promise<void> {
  const at = home.peek()?.now
  shown.value = new Map()
  if (at !== undefined) await sayHomeSeen(at)
}

/** Follows one visit to the start, from when it is shown until it, or for a while its window, is left. */
export function useVisit (): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let leftAtMs: number | null = null
    let hasLooked = false
    const begin = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        hasLooked = true
        // The answer also contains what ended later within its second.
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
    // Seen entries that the service no longer lists are still shown; new ones have to be visible for a while too.
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

/** Reports the visit to the service, unless it contains nothing new. */
function say (afterS: number): void {
  const value = home.peek()
  if (value !== null && value.finished.length + value.failed_runs.length > 0) void sayHomeSeen(value.now + afterS)
}

function renew (): void {
  shown.value = new Map((home.peek()?.finished ?? []).map((one) => [one.session_id, one]))
  void refreshHome()
}
