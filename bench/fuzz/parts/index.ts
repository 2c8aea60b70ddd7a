import fc from 'fast-check'
import { type Findings } from '../findings.js'
import { archives, office } from './archives.js'
import { frontMatters } from './front-matter.js'
import { type Part } from './part.js'
import { schedules } from './schedules.js'
import { shell } from './shell.js'

export const parts: readonly Part[] = [shell, schedules, frontMatters, archives, office]

export interface CheckOptions { seed: number, untilMs: number, findings: Findings, folder: string }

/** Tries the properties of parts in turn until the time is over; how many cases of each part were tried. */
export async function checkParts (chosen: readonly Part[], { seed, untilMs, findings, folder }: CheckOptions): Promise<Array<{ name: string, runs: number }>> {
  const runs = new Map<string, number>()
  const failed = new Set<string>()
  for (let round = 0; chosen.length > 0 && performance.now() < untilMs; round++) {
    for (const { name, properties } of chosen) {
      for (const [says, property] of properties(folder)) {
        if (failed.has(`${name} ${says}`) || performance.now() > untilMs) continue
        const details = await fc.check(property as fc.IAsyncProperty<unknown>, { seed: seed + round, numRuns: 100, interruptAfterTimeLimit: untilMs - performance.now() + 1 })
        runs.set(name, (runs.get(name) ?? 0) + details.numRuns)
        if (!details.failed || details.counterexample === null) continue
        failed.add(`${name} ${says}`)
        findings.add({ kind: says, place: name, text: String(details.errorInstance ?? 'it does not hold').slice(0, 2_000), cause: fc.stringify(details.counterexample) })
      }
    }
  }
  return [...runs].map(([name, count]) => ({ name, runs: count }))
}
