import fc from 'fast-check'
import { type Findings } from '../findings.js'
import { archives, office } from './archives.js'
import { frontMatters } from './front-matter.js'
import { type Part } from './part.js'
import { schedules } from './schedules.js'
import { shell } from './shell.js'

export const parts: readonly Part[] = [shell, schedules, frontMatters, archives, office]

export interface CheckOptions {
  seed: number
  /** Cases of each property in a round. */
  runs: number
  /** Until when (performance.now()) there is another round; absent: there is one. */
  untilMs?: number
  findings: Findings
  /** Where files may be made. */
  folder: string
}

/** Tries the properties of parts in turn; how many cases of each part were tried. One that has failed is not tried again. */
export async function checkParts (
  chosen: readonly Part[], { seed, runs, untilMs, findings, folder }: CheckOptions
): Promise<Array<{ name: string, runs: number }>> {
  const tried = new Map<string, number>()
  const failed = new Set<string>()
  const isOver = (): boolean => untilMs !== undefined && performance.now() > untilMs
  const rounds = chosen.length === 0 ? 0 : untilMs === undefined ? 1 : Infinity
  for (let round = 0; round < rounds && !isOver(); round++) {
    for (const { name, properties } of chosen) {
      for (const [says, property] of properties(folder)) {
        if (failed.has(`${name} ${says}`) || isOver()) continue
        const limit = untilMs === undefined ? {} : { interruptAfterTimeLimit: untilMs - performance.now() + 1 }
        const details = await fc.check(property, { seed: seed + round, numRuns: runs, ...limit })
        tried.set(name, (tried.get(name) ?? 0) + details.numRuns)
        if (!details.failed || details.counterexample === null) continue
        failed.add(`${name} ${says}`)
        const cause = fc.stringify(details.counterexample)
        findings.add({ kind: says, place: name, text: String(details.errorInstance ?? 'it does not hold'), cause })
      }
    }
  }
  return [...tried].map(([name, count]) => ({ name, runs: count }))
}
