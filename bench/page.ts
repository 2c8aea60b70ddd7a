import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { asset } from '../services/ground/assets.js'
import { drawChart } from './chart.js'
import { commitHere } from './commit.js'
import { cellsOf, type Group, type Report } from './report.js'

const docs = asset('docs')
const pictures = 'performance'

/** Writes docs/performance.md and its charts from the measurements of this run. */
export function writePage (report: Report): void {
  rmSync(join(docs, pictures), { recursive: true, force: true })
  mkdirSync(join(docs, pictures))
  const missed = report.missed()
  writeFileSync(join(docs, 'performance.md'), `# Performance

\`npm run bench -- --page\` wrote this page. [What is measured, and how](../bench/README.md).

| | |
|---|---|
| Date | ${new Date().toISOString().slice(0, 10)} |
| Commit | ${commitHere()} |
| Machine | ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB |
| Node | ${process.version} |

*Bare* is the same work without the service, measured in turn with it: \`node:http\` with the same bytes at hand, SQLite without a framework, or the
model endpoint read directly. Compare ratios between machines, not times. *Processor* is what the service spends on one answer, then what the bare
server does.

${missed.length === 0 ? 'Every promise was kept in this run.' : `Promises missed in this run: ${missed.length}.`}

${report.groups().map(section).join('\n')}`)
}

function section ({ name, rows, curves }: Group): string {
  const table = rows.map((row) => `| ${cellsOf(row).map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  const charts = curves.map((curve, index) => {
    const file = `${pictures}/${name}-${index + 1}.svg`
    writeFileSync(join(docs, file), drawChart(curve))
    return `![${curve.title}](${file})\n`
  })
  const heading = `## ${name[0]?.toUpperCase() ?? ''}${name.slice(1)}\n`
  if (table.length === 0) return [heading, ...charts].join('\n')
  return [
    heading, '| Measure | Here | Bare | Ratio | p99 | Processor | Promise | | Note |\n|---|--:|--:|--:|--:|--:|--:|---|---|',
    ...table, '', ...charts
  ].join('\n')
}
