import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { commitHere } from '../commit.js'
import { type Outcome } from './tally.js'

export const resultsFile = asset('docs/reliability.json')
export const pageFile = asset('docs/reliability.md')

/** The result of one run of a scenario. */
export interface Result extends Outcome {
  commit: string
  /** ISO 8601, in UTC. */
  finishedAt: string
  seed: number
  rounds: number
}

export interface RunFacts { seed: number, rounds: number }

/** Adds a run to the file of results. */
export function record (outcome: Outcome, { seed, rounds }: RunFacts, file = resultsFile): void {
  const result: Result = { ...outcome, commit: commitHere(), finishedAt: new Date().toISOString(), seed, rounds }
  writeResults([...readResults(file), result], file)
}

export const readResults = (file = resultsFile): Result[] =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) as Result[] : []

/** One line for each run. */
function writeResults (all: Result[], file: string): void {
  writeFileSync(file, `[\n${all.map((result) => JSON.stringify(result)).join(',\n')}\n]\n`)
}
