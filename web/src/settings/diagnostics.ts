import { computed, signal } from '@preact/signals-core'
import { api } from '../app.js'
import { sayProblem } from '../conversation/say-problem.js'
import { judge, type ConnectionFinding, type Verdict } from '../core/diagnostics/judge.js'
import { linesOf } from '../core/diagnostics/lines.js'
import { measure } from '../core/diagnostics/probe.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { type FoundValue } from '../words/en/diagnostics.js'
import { screenWords } from '../words/index.js'
import { textNamed } from '../words/text-named.js'

type Check = Wire<'DiagnosticsCheck'>
export type Status = Check['status']
/** A check as it is shown, of the service or of the connection to it. `fix`: sentences, followed by lines to copy. */
export interface Row extends Pick<Check, 'title' | 'about' | 'status' | 'message'> {
  key: string
  fix: string | null
  lines: string | null
  /** Whether the sentence is the service's own, in English. */
  isTold: boolean
}

/** For how many seconds a connection is kept open. */
export const holdS = 60
const isThorough = signal(false)
const connection = signal<readonly ConnectionFinding[] | null>(null)
export const isProbing = signal(false)
let probing = new AbortController()

/** The service's report. Reading it runs the checks, so it is read only when a person asks for it. */
export const report = createResource(async () => await api.get('/api/diagnostics', isThorough.peek() ? { thorough: '1' } : {}))

/** Runs all checks again. */
export async function check ({ thorough }: { thorough: boolean }): Promise<void> {
  isThorough.value = thorough
  await Promise.all([report.refresh(), probe()])
}

/** Aborts checks that are still running, because the screen was left. */
export function leave (): void { probing.abort() }

async function probe (): Promise<void> {
  probing.abort()
  const mine = probing = new AbortController()
  isProbing.value = true
  const measured = await measure({ origin: location.origin, headers: () => api.tokenHeaders, holdS, signal: mine.signal })
  if (mine.signal.aborted) return
  connection.value = judge(measured)
  isProbing.value = false
}

const rank: Record<Status, number> = { error: 0, warning: 1, skipped: 2, ok: 2 }
const worst = (rows: readonly Row[]): number => Math.min(...rows.map(({ status }) => rank[status]))

const noValues: Record<FoundValue, string> = {
  path: '', target: '', owner: '', user: '', code: '', seconds: '', hours: '', free: '', needed: '', used: '', limit: '', count: '', open: '',
  messages: '', version: '', own: '', size: '', log: '', host: '', port: '', profile: '', reason: ''
}

/** Returns what a provider did in the language of the app; any other reason as it is. */
const translated = (reason: string): string => sayProblem({ type: null, message: reason, about: undefined }) ?? reason

/** The checks of the service, by subject; problems are first, in their subject and among the subjects. */
const groups = computed(() => {
  const rows = new Map<Check['group'], Row[]>()
  const { checks, parts, found } = screenWords.value.diagnostics
  for (const { id, group, title, about, status, message, fix, code, values } of report.value.value?.checks ?? []) {
    const [advice = null, ...lines] = fix?.split('\n') ?? []
    const saying = code === null ? undefined : found[code]
    const said = typeof saying === 'function' ? saying({ ...noValues, ...values, reason: translated(values?.['reason'] ?? '') }) : saying
    rows.set(group, [...rows.get(group) ?? [], {
      key: `${id} ${about ?? ''} ${message}`, title: checks[id] ?? title, about: about === null ? null : textNamed(parts, about), status,
      message: said?.[0] ?? message, fix: advice === null ? null : said?.[1] ?? advice, lines: lines.length === 0 ? null : lines.join('\n'), isTold: said === undefined
    }])
  }
  return [...rows]
    .map(([group, of]) => [group, of.toSorted((one, other) => rank[one.status] - rank[other.status])] as const)
    .toSorted(([, one], [, other]) => worst(one) - worst(other))
})

const needsCare = ({ status }: Row): boolean => status === 'error' || status === 'warning'

/** All problems and warnings, the worst first, and the other results by subject. */
export const sorted = computed(() => {
  const all = [...groups.value.map(([group, rows]) => [group, rows] as const), ['device', connectionRows()] as const]
  return {
    problems: all.flatMap(([, rows]) => rows.filter(needsCare)).toSorted((one, other) => rank[one.status] - rank[other.status]),
    others: all.map(([group, rows]) => [group, rows.filter((row) => !needsCare(row))] as const).filter(([, rows]) => rows.length > 0)
  }
})

function connectionRows (findings = connection.value ?? []): Row[] {
  const { titles, verdicts, advice, environment } = screenWords.value.diagnostics
  return findings.map(({ check: name, status, verdict, value, fix, fixValue }) => {
    const lines = fix === null ? [] : linesOf(fix, fixValue).map(({ program, text }) => `# ${program === 'environment' ? environment : program}\n${text}`)
    return {
      key: name, title: titles[name], about: null, status, message: verdicts[verdict](value), fix: fix === null ? null : advice[fix],
      lines: lines.length === 0 ? null : lines.join('\n\n'), isTold: false
    }
  })
}

/** Placeholders for the addresses of a person and of the service in a report, which others read. */
const placeholders: Partial<Record<Verdict, string>> = {
  hostRight: '<host>', hostWrong: '<host>', addressRight: '<address>', addressMissing: '<address>', addressNotBelieved: '<address>'
}

const anonymous = (finding: ConnectionFinding): ConnectionFinding => ({
  ...finding,
  value: placeholders[finding.verdict] ?? finding.value,
  fixValue: finding.fix === 'trust' && finding.fixValue !== 'loopback' ? '<address>' : finding.fixValue
})

const marks: Record<Status, string> = { ok: '✓', warning: '!', error: '✗', skipped: '-' }

/** Returns all results as plain text, to send to someone who helps. */
export function reportText (): string {
  const { groups: names, connection: here } = screenWords.value.diagnostics
  const { version = '', at = 0 } = report.value.peek() ?? {}
  const sections = [
    ...groups.peek().map(([group, rows]) => [names[group], rows] as const),
    [here, connectionRows((connection.peek() ?? []).map(anonymous))] as const
  ]
  return [
    `agent-web-service ${version}, ${new Date(at * 1_000).toISOString()}`,
    ...sections.filter(([, rows]) => rows.length > 0).map(([name, rows]) => [name, ...rows.map(rowText)].join('\n'))
  ].join('\n\n')
}

function rowText ({ title, about, status, message, fix, lines }: Row): string {
  const below = [fix, lines].filter((text) => text !== null).join('\n')
  return `${marks[status]} ${title}${about === null ? '' : ` (${about})`}: ${message}${below === '' ? '' : `\n${below.replace(/^/gm, '    ')}`}`
}
