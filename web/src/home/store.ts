import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import { api, link, prompts, sessions } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'

export type Home = Wire<'Home'>

const known = signal<Home | null>(null)
const failure = signal<ApiError | null>(null)

/** What happened since the person's last visit, on any device; null until it is known. */
export const home: ReadonlySignal<Home | null> = known

/** Why reading it failed; null if it did not. */
export const homeFailure: ReadonlySignal<ApiError | null> = failure

/** The running turns, by session. */
export const running: ReadonlySignal<ReadonlyMap<string, Home['running'][number]>> =
  computed(() => new Map((known.value?.running ?? []).map((turn) => [turn.session_id, turn])))

/** A turn at a limit that waits until the person decides how it continues. */
export type Undecided = Home['waiting'][number]

/** Those turns, the oldest first. */
export const undecided: ReadonlySignal<readonly Undecided[]> =
  computed(() => (known.value?.waiting ?? []).filter(({ kind }) => kind === 'limit'))

/** How much waits for the person: prompts, and turns that wait for a decision. */
export const waitingCount: ReadonlySignal<number> = computed(() => prompts.waiting.value.length + undecided.value.length)

/** The sessions in which something waits for the person. */
export const waitingSessions: ReadonlySignal<ReadonlySet<string>> = computed(() => new Set([
  ...prompts.waiting.value.map(({ sessionId }) => sessionId), ...undecided.value.map(({ session_id: id }) => id)
]))

let reading: Promise<void> | null = null
let isStale = false

/** Reads the summary again, once for all callers. */
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

/** Reports to the service that everything up to a moment, in epoch seconds, was seen. If that fails, the next visit reports it. */
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

/** The pending report of a visit. A read before the service has it would bring back what was seen. */
let telling: Promise<unknown> = Promise.resolve()

const pauseMs = 300
let timer: ReturnType<typeof setTimeout> | undefined
/** Reads the summary after a pause, because frames come in bursts, such as at the end of a turn. */
function refreshSoon (): void {
  clearTimeout(timer)
  timer = setTimeout(() => { void refreshHome() }, pauseMs)
}

/** The running turns, and until when those at a limit wait; the summary is read again when this changes. */
const turns = computed(() => sessions.rows.value.filter(({ is_streaming: isRunning }) => isRunning)
  .map(({ session_id: id, resumes_at: resumesAt }) => resumesAt === undefined ? id : `${id} ${resumesAt}`).join())
effect(() => { if (turns.value !== '' || known.peek() !== null) refreshSoon() })

const waiting = computed(() => prompts.waiting.value.length)
effect(() => { if (waiting.value > 0 || known.peek() !== null) refreshSoon() })

link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'home' || event === 'cron') refreshSoon() })
