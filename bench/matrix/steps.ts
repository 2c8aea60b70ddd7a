import { type TestLike } from '../../test/support/app.js'

export const steps = ['turn', 'permission', 'cancel', 'crash', 'resume', 'image', 'queue'] as const
export type Step = typeof steps[number]

/** `by design`: this service refuses it, with the reason. `none`: the other side does not support it. */
export type Outcome = { is: 'pass', note?: string } | { is: 'by design' | 'none' | 'failed', note: string }

export interface Row { name: string, version: string, licence: string, protocol: string, outcomes: Partial<Record<Step, Outcome>> }

/** A row of the table; `day`: the day on which it was tried (YYYY-MM-DD). */
export interface TriedRow extends Row { day: string }

/** Thrown by a step that the other side does not support, or that is refused by design. */
export class Aside extends Error {
  constructor (readonly is: 'by design' | 'none', message: string) { super(message) }
}

// Long, because other programs may be busy on the machine.
const patienceMs = 300_000

/** Rejects with the name of what was awaited if it does not happen in time. */
export async function within<T> (what: string, promise: Promise<T>, limitMs = patienceMs): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} did not come`)), limitMs)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

type Found<T> = T | null | undefined | false

/** Polls until there is a result. */
export async function until<T> (what: string, look: () => Promise<Found<T>> | Found<T>): Promise<T> {
  const startMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() - startMs > patienceMs) throw new Error(`${what} did not come`)
    await new Promise((resolve) => { setTimeout(resolve, 200) })
  }
}

export function expect (isSo: boolean, message: string): void {
  if (!isSo) throw new Error(message)
}

/** Runs a step. It resolves to null, or to a note about how it passed. */
export async function outcomeOf (run: () => Promise<string | null>): Promise<Outcome> {
  try {
    const note = await run()
    return note === null ? { is: 'pass' } : { is: 'pass', note }
  } catch (error) {
    const note = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 400)
    return error instanceof Aside ? { is: error.is, note } : { is: 'failed', note }
  }
}

/** Returns what the test support needs of a test. */
export function scope (): TestLike & { end: () => Promise<void> } {
  const undo: Array<() => unknown> = []
  return {
    teardown: (callback) => undo.push(callback),
    fail: (message) => { throw new Error(message) },
    end: async () => { for (const one of undo.splice(0).toReversed()) await one() }
  }
}

const words = { pass: 'yes', 'by design': 'no', none: '–', failed: '**fails**' } as const

/** Returns the rows as a Markdown table, with the notes of outcomes below. */
export function table (rows: readonly TriedRow[]): string {
  const notes: string[] = []
  const cell = (outcome: Outcome | undefined): string => {
    if (outcome === undefined) return ''
    if (outcome.note === undefined) return words[outcome.is]
    if (!notes.includes(outcome.note)) notes.push(outcome.note)
    return `${words[outcome.is]} (${notes.indexOf(outcome.note) + 1})`
  }
  const lines = rows.map(({ name, version, protocol, licence, day, outcomes }) =>
    `| ${[name, version, licence, protocol, day, ...steps.map((step) => cell(outcomes[step]))].join(' | ')} |`)
  return [
    `| Agent or client | Version | Licence | Speaks | Tried on | ${steps.map((step) => step[0]?.toUpperCase() + step.slice(1)).join(' | ')} |`,
    `|${'---|'.repeat(steps.length + 5)}`, ...lines, '',
    '"yes": the step passes; "no": refused by design; "–": the other side does not have it.', '',
    ...notes.map((note, index) => `${index + 1}. ${note}`)
  ].join('\n')
}
