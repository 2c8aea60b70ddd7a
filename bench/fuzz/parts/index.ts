import fc from 'fast-check'
import { type Findings } from '../findings.js'
import { archives, office } from './archives.js'
import { frontMatters } from './front-matter.js'
import { gitSettings } from './git.js'
import { markdown } from './markdown.js'
import { masking } from './masking.js'
import { type Part } from './part.js'
import { schedules } from './schedules.js'
import { shell } from './shell.js'
import { shellFiles } from './shell-files.js'
import { yaml } from './yaml.js'

export const parts: readonly Part[] = [shell, shellFiles, schedules, frontMatters, archives, office, masking, markdown, yaml, gitSettings]

export interface CheckOptions {
  seed: number
  /** Cases of each property in a round. */
  runs: number
  /** Time (performance.now()) until which another round begins; absent: one round. */
  untilMs?: number
  findings: Findings
  /** Folder in which files may be created. */
  folder: string
}

/** Tries the properties of the parts in turn. One that has failed is not tried again. Returns how many cases of each part were tried. */
export async function checkParts (
  chosen: readonly Part[], { seed, runs, untilMs, findings, folder }: CheckOptions
): Promise<Array<{ name: string, runs: number }>> {
  const ends: Array<() => Promise<void>> = []
  const tried = new Map(chosen.map(({ name }) => [name, 0]))
  const stated = chosen.flatMap(({ name, properties }) => properties(folder, (end) => ends.push(end))
    .map(([says, property, cost = 1]) => ({ name, says, property, numRuns: Math.ceil(runs / cost), hasFailed: false })))
  const isOver = (): boolean => untilMs !== undefined && performance.now() > untilMs
  const rounds = untilMs === undefined ? 1 : Infinity
  try {
    for (let round = 0; round < rounds && !isOver() && stated.some(({ hasFailed }) => !hasFailed); round++) {
      for (const each of stated) {
        if (each.hasFailed || isOver()) continue
        const { name, says, property, numRuns } = each
        const limit = untilMs === undefined ? {} : { interruptAfterTimeLimit: untilMs - performance.now() + 1 }
        const details = await fc.check(property, { seed: seed + round, numRuns, ...limit })
        tried.set(name, (tried.get(name) ?? 0) + details.numRuns)
        if (!details.failed || details.counterexample === null) continue
        each.hasFailed = true
        findings.add({
          kind: says, place: name, text: String(details.errorInstance ?? 'it does not hold'), cause: fc.stringify(details.counterexample)
        })
      }
    }
  } finally {
    for (const end of ends) await end()
  }
  return [...tried].map(([name, count]) => ({ name, runs: count }))
}
