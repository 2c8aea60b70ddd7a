import { type Home } from '../home/store.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { type Later } from './entries.js'

type Running = Home['running'][number]
type Silent = NonNullable<Running['silent']>

/** What a turn waits for that has said nothing for long, in a sentence. `nowS` in epoch seconds. */
export function saySilent ({ since, waiting_for: cause, detail }: Silent, nowS: number): string {
  const w = screenWords.value.away
  return w.silent(times.span(nowS - since), w.causes[cause](detail))
}

/** What a turn does that runs, in a sentence. */
export function sayRunning ({ silent, note, parked }: Running, nowS: number): string {
  const w = screenWords.value.away
  if (parked !== null && parked.problem !== null) return `${w.cannotContinue(parked.provider)} ${parked.problem}`
  if (parked !== null) return w.parked(parked.provider, parked.resumes_at === null ? null : times.next(parked.resumes_at))
  if (silent !== null) return saySilent(silent, nowS)
  return note === null ? w.works : w.worksOn(note)
}

/** When something goes on that waits, in a sentence. */
export function sayLater (entry: Later): string {
  const w = screenWords.value.away
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

/** Everything at once: `2 wait for you, 3 run, 4 are queued, 1 ended.` Empty if there is nothing. */
export function sayAll (counts: { waiting: number, running: number, queued: number, ended: number }): string {
  const w = screenWords.value.away
  const parts = (['waiting', 'running', 'queued', 'ended'] as const).flatMap((name) => counts[name] === 0 ? [] : [w.counted[name](counts[name])])
  return parts.length === 0 ? '' : w.listed(parts)
}
