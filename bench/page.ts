import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { asset } from '../services/ground/assets.js'
import { drawChart } from './chart.js'
import { commitHere } from './commit.js'
import { cellsOf, headings, isKept, type Group } from './report.js'

/** The last run of a group, and what it was measured on. */
export interface GroupRun extends Group {
  /** Day of the run, in UTC. */
  date: string
  commit: string
  machine: string
  node: string
  /** Average number of processes that ran or waited for a processor in the minute before the group began. */
  load: number
}

/** The facts of a run that begins now. */
export type RunFacts = Omit<GroupRun, keyof Group>

const docs = asset('docs')
const pictures = 'performance'
const resultsFile = join(docs, 'performance.json')

export const factsNow = (): RunFacts => ({
  date: new Date().toISOString().slice(0, 10), commit: commitHere(), node: process.version, load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`
})

/** Keeps a group's last run in the file of results; other groups keep theirs. */
export function recordRun (run: GroupRun, file = resultsFile): void {
  const others = readRuns(file).filter(({ name }) => name !== run.name)
  writeFileSync(file, `[\n${[...others, run].map((run) => JSON.stringify(run)).join(',\n')}\n]\n`)
}

export const readRuns = (file = resultsFile): GroupRun[] => existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) as GroupRun[] : []

/** Writes docs/performance.md and its charts from the file of results. `order` lists all groups. */
export function writePage (order: readonly string[]): void {
  const { text, charts } = pageOf(readRuns(), order)
  rmSync(join(docs, pictures), { recursive: true, force: true })
  mkdirSync(join(docs, pictures))
  for (const [file, drawing] of charts) writeFileSync(join(docs, file), drawing)
  writeFileSync(join(docs, 'performance.md'), text)
}

/** Returns the page, and its charts by their path in docs/. */
export function pageOf (runs: readonly GroupRun[], order: readonly string[]): { text: string, charts: Map<string, string> } {
  const charts = new Map<string, string>()
  const shown = order.flatMap((name) => runs.find((run) => run.name === name) ?? [])
  const unmeasured = order.filter((name) => !runs.some((run) => run.name === name))
  const missed = shown.flatMap(({ rows }) => rows).filter((row) => isKept(row) === false).length
  const text = `# Performance

\`npm run bench -- --page\` wrote this page. [What is measured, and how](../bench/README.md). The page has the last run of each group of
measurements, with its date, commit and load: the number of processes that wanted a processor in the minute before, 0 to 0.5 on a quiet
machine.

*Bare* is the same work without the service, measured in the same run: \`node:http\` with the bytes prepared, SQLite without a framework, or
the model endpoint read directly. Compare ratios between machines, not times. *Processor* is what the service spends on one answer, then what
the bare server spends. *Memory* is how much the service has grown per 1,000 answers.

${missed === 0 ? 'Every promise is kept.' : `${missed} ${missed === 1 ? 'promise is' : 'promises are'} missed.`}
${unmeasured.length === 0 ? '' : `\nNot measured yet: ${unmeasured.map((name) => `\`${name}\``).join(', ')}.\n`}
${shown.map((run) => section(run, charts)).join('\n')}`
  return { text, charts }
}

function section ({ name, rows, curves, date, commit, machine, node, load }: GroupRun, charts: Map<string, string>): string {
  const drawn = curves.map((curve, index) => {
    const file = `${pictures}/${name}-${index + 1}.svg`
    charts.set(file, drawChart(curve))
    return `![${curve.title}](${file})\n`
  })
  const lead = `## ${name[0]?.toUpperCase() ?? ''}${name.slice(1)}\n\n${date}, commit ${commit}, ${machine}, Node ${node}, load ${load}\n`
  if (rows.length === 0) return [lead, ...drawn].join('\n')
  const titles = headings.map((heading) => heading === '' ? '' : `${heading[0]?.toUpperCase() ?? ''}${heading.slice(1)}`)
  const isText = (column: number): boolean => column === 0 || column >= headings.length - 2
  const table = rows.map((row) => `| ${cellsOf(row).map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return [
    lead, `| ${titles.join(' | ')} |`, `|${headings.map((_, column) => isText(column) ? '---' : '--:').join('|')}|`, ...table, '', ...drawn
  ].join('\n')
}
