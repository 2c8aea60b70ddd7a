import { computed, signal } from '@preact/signals-core'
import { api } from '../app.js'
import { judge, type ConnectionFinding, type Verdict } from '../core/diagnostics/judge.js'
import { linesOf } from '../core/diagnostics/lines.js'
import { measure } from '../core/diagnostics/probe.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { screenWords } from '../words/index.js'

type Check = Wire<'DiagnosticsCheck'>
export type Status = Check['status']
/** A check as it is shown: of the service, or of the way to it. `fix`: sentences, and after them lines to copy. */
export interface Row extends Pick<Check, 'title' | 'about' | 'status' | 'message'> { key: string, fix: string | null, lines: string | null }

/** Seconds for which a connection is kept open. */
export const holdS = 60
const isThorough = signal(false)
export const connection = signal<readonly ConnectionFinding[] | null>(null)
export const isProbing = signal(false)
let probing = new AbortController()

/** What the service found. Reading it runs the checks, so that nothing but a person's wish has it read again. */
export const report = createResource(async () => await api.get('/api/diagnostics', isThorough.peek() ? { thorough: '1' } : {}))

/** Runs everything anew. */
export async function check ({ thorough }: { thorough: boolean }): Promise<void> {
  isThorough.value = thorough
  await Promise.all([report.refresh(), probe()])
}

/** Ends what is still under way, as nobody looks any more. */
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

/** Of the service, by what they are about. */
export const groups = computed(() => {
  const rows = new Map<Check['group'], Row[]>()
  for (const { id, group, title, about, status, message, fix } of report.value.value?.checks ?? []) {
    const [advice = null, ...lines] = fix?.split('\n') ?? []
    rows.set(group, [...rows.get(group) ?? [], {
      key: `${id} ${about ?? ''} ${message}`, title, about, status, message, fix: advice, lines: lines.length === 0 ? null : lines.join('\n')
    }])
  }
  return [...rows]
})

export function connectionRows (findings = connection.value ?? []): Row[] {
  const { titles, verdicts, advice, environment } = screenWords.value.diagnostics
  return findings.map(({ check: name, status, verdict, value, fix, fixValue }) => {
    const lines = fix === null ? [] : linesOf(fix, fixValue).map(({ program, text }) => `# ${program === 'environment' ? environment : program}\n${text}`)
    return {
      key: name, title: titles[name], about: null, status, message: verdicts[verdict](value), fix: fix === null ? null : advice[fix],
      lines: lines.length === 0 ? null : lines.join('\n\n')
    }
  })
}

/** What stands in a report, which others read, for the address of a person and that of the service. */
const placeholders: Partial<Record<Verdict, string>> = {
  hostRight: '<host>', hostWrong: '<host>', addressRight: '<address>', addressMissing: '<address>', addressNotBelieved: '<address>'
}

const anonymous = (finding: ConnectionFinding): ConnectionFinding => ({
  ...finding,
  value: placeholders[finding.verdict] ?? finding.value,
  fixValue: finding.fix === 'trust' && finding.fixValue !== 'loopback' ? '<address>' : finding.fixValue
})

const marks: Record<Status, string> = { ok: '✓', warning: '!', error: '✗', skipped: '-' }

/** All of it as plain text, to be sent to whoever helps. */
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
