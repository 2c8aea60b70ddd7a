import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Yields rows read in portions, for callers that may stop early or must not hold all rows at once. `read` gets the last row that it
 * returned, and returns `size` more while there are that many. better-sqlite3 has `iterate` for this, but with Node 24 the process aborts
 * when the iterator is garbage-collected.
 */
export function * inPortions<Row> (size: number, read: (last: Row | undefined) => Row[]): Generator<Row> {
  let last: Row | undefined
  for (;;) {
    const rows = read(last)
    yield * rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}

/** Runs all of the work at once. */
export function atOnce<Result> (work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Lets the rest of the process run after each portion. `tell` receives the progress, and is awaited. */
export async function inTurns<Result> (work: Generator<number, Result>, tell: (progress: number) => void | Promise<void>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await tell(step.value)
    await nextTurn()
  }
}
