import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Rows a portion at a time, for whoever may stop early or must not hold all of them at once: `read` gets the last row it has
 * given, and gives `size` more while there are so many. better-sqlite3 has `iterate` for this; with Node 24 the process
 * aborts when what that returns is collected.
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

/** Does all of it at once. */
export function atOnce<Result> (work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Gives everything else of the process a turn after each portion; `tell` hears how much is done, and is waited for. */
export async function inTurns<Result> (work: Generator<number, Result>, tell: (progress: number) => void | Promise<void>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await tell(step.value)
    await nextTurn()
  }
}
