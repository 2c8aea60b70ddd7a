import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../core/api.js'

/** What the service makes of a schedule that is being typed. */
export type Previewed =
  | { kind: 'understood', preview: Wire<'CronPreview'> }
  /** In the words that saving would be refused with. */
  | { kind: 'refused', why: string }

const usualAfterMs = 250
const shownRuns = 3

/** Asks the service a moment after the last letter; what comes too late, or not at all, says nothing. */
export function createSchedulePreview (api: Api, { afterMs = usualAfterMs }: { afterMs?: number } = {}) {
  const previewed = signal<Previewed | null>(null)
  let asking = new AbortController()

  async function ask (schedule: string, profile: string, { signal }: AbortController): Promise<Previewed | null> {
    await new Promise((resolve) => { setTimeout(resolve, afterMs) })
    if (signal.aborted) return null
    try {
      return { kind: 'understood', preview: await api.post('/api/crons/preview', { schedule, count: shownRuns, ...(profile === '' ? {} : { profile }) }, signal) }
    } catch (error) {
      return error instanceof ApiError && error.status === 400 ? { kind: 'refused', why: error.message } : null
    }
  }

  return {
    /** Of the text that was last looked at, as soon as it is known; null: nothing is. */
    previewed: previewed as ReadonlySignal<Previewed | null>,

    /** `profile` as in the form of a task: empty for the client's own. Resolves when what is to be said of it is there. */
    async look (schedule: string, profile: string): Promise<void> {
      asking.abort()
      const mine = asking = new AbortController()
      const text = schedule.trim()
      // Until the answer is there the one before stays, rather than to flicker.
      if (text === '') previewed.value = null
      else {
        const found = await ask(text, profile, mine)
        if (!mine.signal.aborted) previewed.value = found
      }
    },

    close: (): void => asking.abort()
  }
}
