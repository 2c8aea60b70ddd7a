import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import { api, link, prompts, sessions } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'

export type Home = Wire<'Home'>

const known = signal<Home | null>(null)
const failure = signal<ApiError | null>(null)

/** What happened since somebody last looked, on any device; null until it is known. */
export const home: ReadonlySignal<Home | null> = known

/** Why it is not known; null if it is, or is being read. */
export const homeFailure: ReadonlySignal<ApiError | null> = failure

/** The turns that run, by session. */
export const running: ReadonlySignal<ReadonlyMap<string, Home['running'][number]>> =
  computed(() => new Map((known.value?.running ?? []).map((turn) => [turn.session_id, turn])))

let reading: Promise<void> | null = null
let isStale = false

/** Reads it again, once for all who ask meanwhile. */
export async function refreshHome (): Promise<void> {
  isStale = true
  reading ??= read().finally(() => { reading = null })
  await reading
}

async function read (): Promise<void> {
  while (isStale) {
    await telling
    isStale = false
    try {
      known.value = await api.get('/api/home')
      failure.value = null
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failure.value = error
    }
  }
}

/** Says that what happened up to a moment was seen, in epoch seconds. What cannot be sent now is seen at the next look. */
export async function sayHomeSeen (atS: number): Promise<void> {
  const before = known.peek()
  if (before !== null) {
    known.value = {
      ...before, seen_at: atS, finished: before.finished.filter(({ finished_at: at }) => at > atS),
      failed_runs: before.failed_runs.filter(({ at }) => at > atS)
    }
  }
  telling = api.post('/api/home/seen', { at: atS }).catch((error: unknown) => { if (!(error instanceof ApiError)) throw error })
  await telling
}

/** What is read before the service has heard of a look would bring back what was seen. */
let telling: Promise<unknown> = Promise.resolve()

const pauseMs = 300
let timer: ReturnType<typeof setTimeout> | undefined
/** Frames come in bursts, such as at the end of a turn. */
function refreshSoon (): void {
  clearTimeout(timer)
  timer = setTimeout(() => { void refreshHome() }, pauseMs)
}

/** Which turns run, and until when those wait that are at a limit; a change is what there is to read about. */
const turns = computed(() => sessions.rows.value.filter(({ is_streaming: isRunning }) => isRunning)
  .map(({ session_id: id, resumes_at: resumesAt }) => resumesAt === undefined ? id : `${id} ${resumesAt}`).join())
effect(() => { if (turns.value !== '' || known.peek() !== null) refreshSoon() })

const waiting = computed(() => prompts.waiting.value.length)
effect(() => { if (waiting.value > 0 || known.peek() !== null) refreshSoon() })

link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'home' || event === 'cron') refreshSoon() })
