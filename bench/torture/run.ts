import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createArena, processesOf, sweep } from './arena.js'
import { createRandom } from './random.js'
import { type Scenario } from './scenario.js'
import { createTally, type Outcome } from './tally.js'

/** How long processes may take to end by themselves after everything that they served has ended. */
const graceMs = 6_000

export interface RunOptions {
  seed: number
  rounds: number
  short: boolean
  entry?: string
  /** Leaves the folders for inspection. */
  keep?: boolean
}

export interface Torture {
  /** Everything is below it, and it is removed at the end. */
  folder: string
  run (scenario: Scenario): Promise<Outcome>
  /** Ends and removes everything at once, including unexpected leftovers; for the end and for Ctrl+C. */
  sweep (): string[]
}

/** Runs scenarios one after the other, each in its own folder, which is removed afterwards. */
export function createTorture ({ seed, rounds, short, entry, keep = false }: RunOptions): Torture {
  const root = mkdtempSync(join(tmpdir(), 'torture-'))
  const random = createRandom(seed)
  // Marks processes of our own helpers; the service's have their HOME below the folder.
  process.env.TORTURE = root
  return {
    folder: root,
    async run (scenario) {
      const outcome: Outcome = {
        name: scenario.name, tried: {}, lost: {}, checked: 0, findings: [], notes: [], leftBehind: [], seconds: 0
      }
      const missing = scenario.missing?.()
      if (missing !== undefined) return { ...outcome, skipped: missing }
      const startMs = performance.now()
      const folder = join(root, scenario.name)
      const tally = createTally(outcome)
      const arena = createArena({ folder, random: random.branch(scenario.name), tally, short, rounds, entry })
      try {
        await scenario.run(arena)
      } catch (error) {
        tally.wrong(`the scenario could not go on: ${(error as Error).stack ?? String(error)}`)
      }
      await arena.end().catch((error: unknown) => tally.wrong(`ending it failed: ${String(error)}`))
      const untilMs = performance.now() + graceMs
      while (processesOf(folder).length > 0 && performance.now() < untilMs) await delay(30)
      if (!keep) outcome.leftBehind.push(...sweep(folder))
      outcome.seconds = (performance.now() - startMs) / 1000
      return outcome
    },
    sweep: () => keep || !existsSync(root) ? [] : sweep(root).filter((found) => !found.startsWith('process'))
  }
}
