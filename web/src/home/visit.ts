import { computed, signal, useSignalEffect, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { home, refreshHome, sayHomeSeen, type Home } from './store.js'

export type Finished = Home['finished'][number]

const shown = signal<ReadonlyMap<string, Finished>>(new Map())

/** What finished since the last look, and during this one, the latest first: it stays until the next look although it was seen. */
export const finished: ReadonlySignal<readonly Finished[]> =
  computed(() => [...shown.value.values()].toSorted((a, b) => b.finished_at - a.finished_at))

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
  // What the service lists no longer, as it was seen, is still shown.
  useSignalEffect(() => {
    const fresh = home.value?.finished ?? []
    if (fresh.length > 0) shown.value = new Map([...shown.peek(), ...fresh.map((one) => [one.session_id, one] as const)])
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let leftAtMs: number | null = null
    let isSeen = false
    const say = (): void => {
      const { value } = home
      if (value !== null && value.finished.length + value.failed_runs.length > 0) void sayHomeSeen(value.now)
    }
    const begin = (): void => {
      isSeen = false
      clearTimeout(timer)
      timer = setTimeout(() => { isSeen = true; say() }, lookMs)
    }
    const leave = (): void => {
      clearTimeout(timer)
      if (isSeen) say()
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
    if (document.visibilityState === 'visible') begin()
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      leave()
    }
  }, [])
}

function renew (): void {
  shown.value = new Map((home.peek()?.finished ?? []).map((one) => [one.session_id, one]))
  void refreshHome()
}
