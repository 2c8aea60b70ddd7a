import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../core/service/api.js'

/** The service's interpretation of a typed schedule. */
export type Previewed =
  | { kind: 'understood', preview: Wire<'CronPreview'> }
  /** The refusal that saving would receive, with its code if it has one. */
  | { kind: 'refused', why: string, code: string | null }

export interface SchedulePreview {
  /** The preview of the text that was last looked up; null until it is known. */
  readonly previewed: ReadonlySignal<Previewed | null>
  /** The text that was last looked up, once its preview is known. */
  readonly looked: ReadonlySignal<string>
  /** Looks up a text. `profile` as in the form of a task: empty for the client's own. Resolves when the preview is known. */
  look: (schedule: string, profile: string) => Promise<void>
  close: () => void
}

const usualAfterMs = 250
/** The service lists at most this many runs; the number of runs per month is estimated from them. */
const shownRuns = 20

/** Asks the service shortly after the last keystroke; late and failed answers are ignored. */
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
      // The previous preview stays until the next one, to avoid flicker.
      const found = text === '' ? null : await ask(text, profile, mine)
      if (mine.signal.aborted) return
      previewed.value = found
      looked.value = text
    },

    close: () => asking.abort()
  }
}
