import { type Home } from '../home/store.js'

/**
 * Work that begins or continues automatically, or when the person allows it: one kind for each reason to wait. Each kind has a sentence in
 * `say.ts` and an address in `NowRows.tsx`; a new reason to wait gets a kind of its own here.
 */
export type Later =
  | { kind: 'queue', queue: Home['queues'][number] }
  | { kind: 'runs', count: number }
  | { kind: 'task', task: NonNullable<Home['next_run']> }

/** Returns the waiting work, ordered by how likely the person has to act: queues, runs that wait for a free place, the next task. */
export function laterOf ({ queues, queued, next_run: next }: Home): Later[] {
  return [
    ...queues.map((queue): Later => ({ kind: 'queue', queue })),
    ...(queued === 0 ? [] : [{ kind: 'runs' as const, count: queued }]),
    ...(next === null ? [] : [{ kind: 'task' as const, task: next }])
  ]
}

export const keyOf = (entry: Later): string => entry.kind === 'queue' ? `queue ${entry.queue.session_id}` : entry.kind
