import { type Home } from '../home/store.js'

/**
 * What begins or goes on by itself, or when the person lets it: one kind for each way in which work waits. Each has a sentence in `say.ts`
 * and an address in `NowRows.tsx`; whatever else comes to wait for a time is a kind of its own here.
 */
export type Later =
  | { kind: 'queue', queue: Home['queues'][number] }
  | { kind: 'runs', count: number }
  | { kind: 'task', task: NonNullable<Home['next_run']> }

/** The order is that of what the person may have to do: queues, what waits for a place, the next task. */
export function laterOf ({ queues, queued, next_run: next }: Home): Later[] {
  return [
    ...queues.map((queue): Later => ({ kind: 'queue', queue })),
    ...(queued === 0 ? [] : [{ kind: 'runs' as const, count: queued }]),
    ...(next === null ? [] : [{ kind: 'task' as const, task: next }])
  ]
}

export const keyOf = (entry: Later): string => entry.kind === 'queue' ? `queue ${entry.queue.session_id}` : entry.kind
