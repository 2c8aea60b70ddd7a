import { createPace } from '../../../ground/concurrency/pace.js'
import { wholeTo } from '../../../ground/text/whole-characters.js'
import { lineMatchers } from './lines.js'
import { severities, type MatchedProblem, type Problem, type Severity } from './problem.js'
import { reportIn } from './reports.js'
import { stackMatchers } from './stacks.js'

export { type Problem } from './problem.js'

export interface Problems {
  /** At most 500, in the order in which they were printed. */
  problems: Problem[]
  counts: Record<Severity, number>
}

const mostProblems = 500
/** How many places are looked up on disk. */
const mostPlaces = 5_000
const longestPath = 1_024
const longestLine = 1_000
const longestText = 500
const matchers = [...stackMatchers, ...lineMatchers]

/** Reads the problems in an output, one after the other. The output is plain text of limited size. Other work gets its turn in between. */
async function read (output: string): Promise<MatchedProblem[]> {
  const report = reportIn(output)
  if (report !== null) return report
  const lines = output.split('\n').map((line) => line.slice(0, longestLine).trimEnd())
  const all: MatchedProblem[] = []
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

/** Finds the paths of files below a folder, in the given order; null for a file that does not exist, or is outside of the folder. */
export type FindPaths = (files: readonly string[]) => Promise<ReadonlyArray<string | null>>

/**
 * Returns the problems in the output of a check. A path becomes a link only if the file exists and is in the folder, wherever symlinks
 * lead. All files are looked up at once, because they may be on another machine.
 */
export async function problemsIn (output: string, findPaths: FindPaths): Promise<Problems> {
  const all = await read(output)
  const named = new Set(all.flatMap(({ places }) => places.map(({ file }) => file)).filter((file) => file.length <= longestPath))
  const files = [...named].slice(0, mostPlaces)
  const found = files.length === 0 ? [] : await findPaths(files)
  const paths = new Map(files.map((file, at) => [file, found[at] ?? null]))
  const problems = new Map<string, Problem>()
  for (const one of all) {
    const problem = placed(one, paths)
    if (problem === null) continue
    const key = JSON.stringify([problem.path ?? problem.file, problem.line, problem.column, problem.severity, problem.text])
    if (!problems.has(key)) problems.set(key, problem)
  }
  return kept([...problems.values()])
}

function kept (all: readonly Problem[]): Problems {
  const counts = { error: 0, warning: 0, info: 0 }
  // A problem that names only the file says less than one that names a line of it.
  const withLines = new Set(all.flatMap(({ path, file, line }) => line === null ? [] : [path ?? file]))
  const kept = all.filter(({ path, file, line }) => line !== null || !withLines.has(path ?? file))
  for (const { severity } of kept) counts[severity]++
  return { problems: kept.slice(0, mostProblems), counts }
}

function placed (
  { places, severity, text, code = null, isVague = false }: MatchedProblem, paths: ReadonlyMap<string, string | null>
): Problem | null {
  const said = { severity, text: wholeTo(text, longestText), code }
  for (const place of places) {
    const path = paths.get(place.file) ?? null
    if (path !== null) return { ...place, file: place.file.slice(0, longestText), path, ...said }
  }
  const [first] = places
  return first === undefined || isVague ? null : { ...first, file: first.file.slice(0, longestText), path: null, ...said }
}

/** Formats the numbers of problems by severity, for the agent. */
export const countsInWords = (counts: Record<Severity, number>): string =>
  severities.filter((severity) => counts[severity] > 0).map((severity) =>
    severity === 'info' ? `${counts.info} info` : `${counts[severity]} ${severity}${counts[severity] === 1 ? '' : 's'}`).join(', ')
