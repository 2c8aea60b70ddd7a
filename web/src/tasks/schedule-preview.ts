import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../core/service/api.js'

/** What the service makes of a schedule that is being typed. */
export type Previewed =
  | { kind: 'understood', preview: Wire<'CronPreview'> }
  /** As saving would be refused: by its code, where it has one. */
  | { kind: 'refused', why: string, code: string | null }

export interface SchedulePreview {
  /** What the service makes of the text that was looked at last; null until it is known. */
  readonly previewed: ReadonlySignal<Previewed | null>
  /** The text that was looked at last, once its preview is known. */
  readonly looked: ReadonlySignal<string>
  /** Looks at a text. `profile` as in the form of a task: empty for the client's own. Resolves when the preview is known. */
  look: (schedule: string, profile: string) => Promise<void>
  close: () => void
}

const usualAfterMs = 250
const shownRuns = 3

/** Asks the service a moment after the last letter; what comes too late, or not at all, says nothing. */
export function createSchedulePreview (api: Api, { afterMs = usualAfterMs }: { afterMs?: number } = {}): SchedulePreview {
  const previewed = signal<Previewed | null>(null)
  const looked = signal('')
  let asking = new AbortController()

  async function ask (schedule: string, profile: string, { signal }: AbortController): Promise<Previewed | null> {
    await new Promise((resolve) => { setTimeout(resolve, afterMs) })
    if (signal.aborted) return null
    try {
      return {
        kind: 'understood',
        preview: await api.post('/api/crons/preview', { schedule, count: shownRuns, ...(profile === '' ? {} : { profile }) }, signal)
      }
    } catch (error) {
      return error instanceof ApiError && error.status === 400 ? { kind: 'refused', why: error.message, code: error.code } : null
    }
  }

  return {
    previewed,
    looked,
    async look (schedule, profile) {
      asking.abort()
      const mine = asking = new AbortController()
      const text = schedule.trim()
      // Until the answer is there the one before stays, rather than to flicker.
      const found = text === '' ? null : await ask(text, profile, mine)
      if (mine.signal.aborted) return
      previewed.value = found
      looked.value = text
    },

    close: () => asking.abort()
  }
}
