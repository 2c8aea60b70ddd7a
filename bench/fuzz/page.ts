import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { type Reached } from './coverage.js'
import { unprovoked } from './unprovoked.js'

/** One run of fuzzing, as it is kept for the page about reliability. */
export interface FuzzRun {
  seed: number
  seconds: number
  commit: string
  /** ISO 8601, in UTC. */
  finishedAt: string
  /** Null if the service was not fuzzed. */
  service: Reached & { requests: number } | null
  /** Cases by part. */
  parts: Record<string, number>
  /** One paragraph for each. */
  findings: string[]
}

const resultsFile = asset('docs/fuzzing.json')
/** How many runs the page shows. */
const shownRuns = 3

export const readFuzzRuns = (file = resultsFile): FuzzRun[] => existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) as FuzzRun[] : []

/** Adds a run to the file of results. */
export function recordFuzzRun (run: FuzzRun, file = resultsFile): void {
  writeFileSync(file, `[\n${[...readFuzzRuns(file), run].map((each) => JSON.stringify(each)).join(',\n')}\n]\n`)
}

/**
 * Why an operation may answer with such a status: each is a failure of something else that it asked for. Any other 5xx is
 * a finding.
 */
const whyAbove500: Record<number, string> = {
  501: 'the operation says that it is not available here',
  502: 'a model, an agent, a forge or a speech service that the operation needs has failed or does not exist here',
  503: 'something that the operation needs is missing or busy: a program, a package, a machine, or a place in a queue'
}

/** Returns the part of the page about fuzzing. */
export function fuzzSection (runs: readonly FuzzRun[]): string {
  const intro = `## Fuzzing

[What is sent, and what counts as a finding](../bench/README.md#fuzzing). A route counts as reached well if it has answered with success; a
pair is a route under one of six senders: nobody, a token of each scope, and a person.
`
  if (runs.length === 0) return `${intro}\nNo run has been recorded.\n`
  const latest = [...new Map(runs.toReversed().map((run) => [run.seed, run] as const).toReversed()).values()].slice(-shownRuns)
  const rows = latest.map(({ seed, seconds, commit, finishedAt, service, parts, findings }) => row([
    seed, finishedAt.slice(0, 10), commit, Math.round(seconds), service?.requests ?? 0,
    service === null ? '' : `${service.well} of ${service.routes}`, service === null ? '' : `${service.pairs} of ${service.routes * 6}`,
    service === null ? '' : `${service.codes.length} of ${service.declaredCodes}`,
    Object.values(parts).reduce((sum, cases) => sum + cases, 0), findings.length === 0 ? 'clean' : `${findings.length} findings`
  ]))
  const codes = [...new Set(latest.flatMap(({ service }) => service?.codes ?? []))].toSorted()
  const above = new Map<string, number>()
  for (const { service } of latest) {
    for (const [key, count] of Object.entries(service?.above500 ?? {})) above.set(key, (above.get(key) ?? 0) + count)
  }
  const found = runs.flatMap(({ seed, commit, finishedAt, findings }) => findings.map((finding) =>
    `- seed ${seed}, ${finishedAt.slice(0, 10)}, commit ${commit}: ${finding.replaceAll(/\s+/g, ' ').slice(0, 400)}`))
  return `${intro}
| Seed | Date | Commit | Seconds | Requests | Routes reached well | Pairs reached | Codes of errors met | Cases of the parts | Result |
|--:|---|---|--:|--:|--:|--:|--:|--:|---|
${rows.join('\n')}

Codes met: ${codes.map((code) => `\`${code}\``).join(', ')}.

${unprovokedSection(codes)}

${aboveSection(above)}

Findings of all recorded runs: ${found.length === 0 ? 'none.' : `\n\n${found.join('\n')}`}
`
}

/** Returns the codes that fuzzing cannot provoke and has not met, with the tests that meet them. */
function unprovokedSection (met: readonly string[]): string {
  const rows = Object.entries(unprovoked).filter(([code]) => !met.includes(code)).map(([code, { why, test }]) =>
    row([`\`${code}\``, why, `[${test.replace(/^test\//, '')}](../${test})`]))
  return `Codes that only tests meet:\n\n| Code | Why | Test |\n|---|---|---|\n${rows.join('\n')}`
}

/** Returns the answers above 500, which count by `503 GET /api/x`. */
function aboveSection (above: ReadonlyMap<string, number>): string {
  if (above.size === 0) return 'No answer had a status above 500.'
  const rows = [...above].toSorted().map(([key, count]) => {
    const [status = '', ...name] = key.split(' ')
    return row([`\`${name.join(' ')}\``, status, count, whyAbove500[Number(status)] ?? ''])
  })
  const head = '| Operation | Status | Times | Meaning |\n|---|--:|--:|---|'
  return `Answers above 500, all of which their operation declares:\n\n${head}\n${rows.join('\n')}`
}

const row = (values: Array<string | number>): string =>
  `| ${values.map((value) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
