import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { createPace } from '../../../ground/concurrency/pace.js'
import { within } from '../../../ground/containment.js'
import { lineMatchers } from './lines.js'
import { severities, type Found, type Problem, type Severity } from './problem.js'
import { reportIn } from './reports.js'
import { stackMatchers } from './stacks.js'

export { type Problem } from './problem.js'

export interface Problems {
  /** At most 500, in the order in which they were printed. */
  problems: Problem[]
  counts: Record<Severity, number>
}

const mostProblems = 500
/** What is looked for on the disk. */
const mostPlaces = 5_000
const longestLine = 1_000
const longestText = 500
const matchers = [...stackMatchers, ...lineMatchers]

/** What an output tells of, one after the other; it is plain text, of a size that is kept. Others get their turn in between. */
async function read (output: string): Promise<Found[]> {
  const report = reportIn(output)
  if (report !== null) return report
  const lines = output.split('\n').map((line) => line.slice(0, longestLine).trimEnd())
  const all: Found[] = []
  const pace = createPace()
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    await pace()
    for (const matcher of matchers) {
      const problem = matcher(line, { lines, at })
      if (problem === null) continue
      all.push(problem)
      break
    }
  }
  return all
}

/** The path of a file below a folder, as clients know it; null: it is not there, or not in it. */
async function pathIn (folder: string, file: string): Promise<string | null> {
  if (file.includes('\0') || file.length > 1_024) return null
  const real = await realpath(isAbsolute(file) ? file : resolve(folder, file)).catch(() => null)
  return real === null || real === folder || !within(folder, real) ? null : relative(folder, real)
}

/**
 * The problems in the output of a check that ran in a folder (absolute, free of symlinks). A path is a link only where the file is there
 * and in the folder, wherever symlinks lead.
 */
export async function problemsIn (output: string, folder: string): Promise<Problems> {
  const paths = new Map<string, Promise<string | null>>()
  const pathOf = async (file: string): Promise<string | null> => {
    const known = paths.get(file) ?? (paths.size < mostPlaces ? pathIn(folder, file) : Promise.resolve(null))
    paths.set(file, known)
    return await known
  }
  const problems = new Map<string, Problem>()
  const counts = { error: 0, warning: 0, info: 0 }
  for (const found of await read(output)) {
    const problem = await placed(found, pathOf)
    if (problem === null) continue
    const key = JSON.stringify([problem.path ?? problem.file, problem.line, problem.column, problem.severity, problem.text])
    if (problems.has(key)) continue
    problems.set(key, problem)
  }
  const all = [...problems.values()]
  // What names only the file says less than what names a line of it.
  const withLines = new Set(all.flatMap(({ path, file, line }) => line === null ? [] : [path ?? file]))
  const kept = all.filter(({ path, file, line }) => line !== null || !withLines.has(path ?? file))
  for (const { severity } of kept) counts[severity]++
  return { problems: kept.slice(0, mostProblems), counts }
}

async function placed (
  { places, severity, text, code = null, isVague = false }: Found, pathOf: (file: string) => Promise<string | null>
): Promise<Problem | null> {
  const said = { severity, text: text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, ''), code }
  for (const place of places) {
    const path = await pathOf(place.file)
    if (path !== null) return { ...place, file: place.file.slice(0, longestText), path, ...said }
  }
  const [first] = places
  return first === undefined || isVague ? null : { ...first, file: first.file.slice(0, longestText), path: null, ...said }
}

/** How many there are of each severity, in words for the agent. */
export const countsInWords = (counts: Record<Severity, number>): string =>
  severities.filter((severity) => counts[severity] > 0).map((severity) =>
    severity === 'info' ? `${counts.info} info` : `${counts[severity]} ${severity}${counts[severity] === 1 ? '' : 's'}`).join(', ')
