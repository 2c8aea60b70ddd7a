import { type Home } from '../home/store.js'
import { words } from '../words/index.js'
import { times } from '../words/times.js'
import { type Later } from './entries.js'

type Running = Home['running'][number]
type Silent = NonNullable<Running['silent']>

/** Describes in a sentence what a turn waits for that has been silent for long. `nowS`: in epoch seconds. */
export function saySilent ({ since, waiting_for: cause, detail }: Silent, nowS: number): string {
  const w = words.value.away
  return w.silent(times.span(nowS - since), w.causes[cause](detail))
}

/** Describes in a sentence, or two, how a turn waits for a limit. */
export function sayParked ({ provider, resumes_at: resumesAt, problem }: NonNullable<Running['parked']>): string {
  const w = words.value.away
  if (problem !== null) return `${w.cannotContinue(provider)} ${problem}`
  return w.parked(provider, resumesAt === null ? null : times.next(resumesAt))
}

/** Describes in a sentence what a running turn does. */
export function sayRunning ({ silent, note, parked }: Running, nowS: number): string {
  const w = words.value.away
  if (parked !== null) return sayParked(parked)
  if (silent !== null) return saySilent(silent, nowS)
  return note === null ? w.works : w.worksOn(note)
}

/** Describes in a sentence when waiting work continues. */
export function sayLater (entry: Later): string {
  const w = words.value.away
  switch (entry.kind) {
    case 'queue': {
      const { count, held, not_before: notBefore } = entry.queue
      if (held !== null) return w.held(count, held.reason)
      return notBefore === null ? w.behind(count) : w.notBefore(count, times.next(notBefore))
    }
    case 'runs': return w.runs
    case 'task': return w.next(times.next(entry.task.at))
  }
}

/** Summarises everything: `2 waiting for you, 3 running, 4 queued, 1 finished.` Empty if there is nothing. No line ends after a number. */
export function sayAll (counts: { waiting: number, running: number, queued: number, ended: number }): string {
  const w = words.value.away
  const parts = (['waiting', 'running', 'queued', 'ended'] as const).flatMap((name) =>
    counts[name] === 0 ? [] : [w.counted[name](counts[name]).replace(' ', '\u00a0')])
  return parts.length === 0 ? '' : w.listed(parts)
}
