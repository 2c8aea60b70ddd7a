import { type TestLike } from '../../test/support/app.js'

export const steps = ['turn', 'permission', 'cancel', 'crash', 'resume', 'image', 'queue'] as const
export type Step = typeof steps[number]

/** `by design`: refused here, with the reason. `none`: the other side does not have it. */
export type Outcome = { is: 'pass', note?: string } | { is: 'by design' | 'none' | 'failed', note: string }

export interface Row { name: string, version: string, licence: string, protocol: string, outcomes: Partial<Record<Step, Outcome>> }

/** What a step throws when the other side does not have what it tries, or when it is refused by design. */
export class Aside extends Error {
  constructor (readonly is: 'by design' | 'none', message: string) { super(message) }
}

// Other programs may be at work on the machine.
const patienceMs = 300_000

/** Rejects with what was awaited when that does not come. */
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

/** Looks again and again, until there is something. */
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

/** Runs a step: `null` of a step that passes, or what there is to add. */
export async function outcomeOf (run: () => Promise<string | null>): Promise<Outcome> {
  try {
    const note = await run()
    return note === null ? { is: 'pass' } : { is: 'pass', note }
  } catch (error) {
    const note = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 400)
    return error instanceof Aside ? { is: error.is, note } : { is: 'failed', note }
  }
}

/** What the support of the tests wants of a test. */
export function scope (): TestLike & { end: () => Promise<void> } {
  const undo: Array<() => unknown> = []
  return {
    teardown: (callback) => undo.push(callback),
    fail: (message) => { throw new Error(message) },
    end: async () => { for (const one of undo.splice(0).toReversed()) await one() }
  }
}

const words = { pass: 'yes', 'by design': 'no', none: '–', failed: '**fails**' } as const

/** The rows as a Markdown table, with a note below for each outcome that has one. */
export function table (rows: readonly Row[], day: string): string {
  const notes: string[] = []
  const cell = (outcome: Outcome | undefined): string => {
    if (outcome === undefined) return ''
    if (outcome.note === undefined) return words[outcome.is]
    if (!notes.includes(outcome.note)) notes.push(outcome.note)
    return `${words[outcome.is]} (${notes.indexOf(outcome.note) + 1})`
  }
  const lines = rows.map(({ name, version, protocol, licence, outcomes }) =>
    `| ${[name, version, licence, protocol, ...steps.map((step) => cell(outcomes[step]))].join(' | ')} |`)
  return [
    `| Agent or client | Version | Licence | Speaks | ${steps.map((step) => step[0]?.toUpperCase() + step.slice(1)).join(' | ')} |`,
    `|${'---|'.repeat(steps.length + 4)}`, ...lines, '',
    `Run on ${day}. "yes": the step passes; "no": refused by design; "–": the other side does not have it.`, '',
    ...notes.map((note, index) => `${index + 1}. ${note}`)
  ].join('\n')
}
