/** One line of a report: where, and what about it. */
export interface ReportLine { at: string, text: string }

/** What the service has put together for the agent to read. */
export type ReportKind = 'review' | 'checks' | 'pull'

const kinds: Readonly<Record<string, ReportKind>> = { review: 'review', checks: 'checks', check: 'checks', pull_request: 'pull' }

/** Returns what kind of report a message is; null: a person has worded it. Earlier versions of the service do not say, nor do notes. */
export function reportKindOf ({ text, source }: { text: string, source: string | null }): ReportKind | null {
  const kind = kinds[source ?? '']
  if (kind !== undefined) return kind
  if (/^Review: \d+ comments? on \d+ files?\./.test(text)) return 'review'
  return /^(?:These are the results of checks in the workspace\.|These checks ran by themselves after your changes)/.test(text) ? 'checks' : null
}

/** What a person needs to see of it: the note, and the comments or problems. */
export function reportOf (kind: ReportKind, text: string): { note: string, lines: ReportLine[] } {
  if (kind === 'pull') return { note: askedIn(text), lines: materialIn(text) }
  const [, second = '', third = ''] = text.split('\n\n', 3)
  const note = /^(?:Work through every comment|Fix the cause of what they report)/.test(second) || third === '' ? '' : second
  return { note, lines: kind === 'review' ? commentsIn(text) : problemsIn(text) }
}

/** What the person has asked in words of their own. */
function askedIn (text: string): string {
  const asked = text.split(/\n\n<(?:check_log|pull_comments) of="/, 1)[0] ?? ''
  return /^(?:These checks of pull request|Look at the comments on pull request)/.test(asked) ? '' : asked.replace(/ Do not push\.$/, '')
}

/** The failed checks, and the places of comments with what was said first. */
function materialIn (text: string): ReportLine[] {
  return [...text.matchAll(/^<(check_log|pull_comments) of="([^"]*)">\n.*\n(.*)/gm)].map(([, tag, at = '', first = '']) =>
    ({ at, text: tag === 'pull_comments' ? first : '' }))
}

function commentsIn (text: string): ReportLine[] {
  const lines: ReportLine[] = []
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const mark = /^`{3,}$/.exec(line)?.[0]
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence === null ? mark : null
    if (fence !== null) continue
    const at = placeIn(line)
    const last = lines.at(-1)
    if (at !== null) lines.push({ at, text: '' })
    else if (last !== undefined && line.startsWith('>')) last.text += `${last.text === '' ? '' : '\n'}${line.slice(2)}`
  }
  return lines
}

/** Of a heading such as `### [r1] `src/a.ts`, lines 3 to 5`. */
function placeIn (line: string): string | null {
  const [head, ticks = ''] = /^### \[[\w-]+\] (`+)/.exec(line) ?? []
  const end = line.lastIndexOf('`') + 1
  const [, from, to] = /^, lines? (\d+)(?: to (\d+))?/.exec(line.slice(end)) ?? []
  if (head === undefined || from === undefined) return null
  return `${line.slice(head.length, end - ticks.length).trim()}:${to === undefined ? from : `${from}–${to}`}`
}

function problemsIn (text: string): ReportLine[] {
  // The outputs stand in fences.
  return text.replaceAll(/^(`{3,})\n[^]*?\n\1$/gm, '').split('\n').flatMap((line) => {
    const [, check] = /^## (.*)$/.exec(line) ?? []
    if (check !== undefined) return [{ at: check, text: '' }]
    const [, at, said] = /^- (\S+) (?:error|warning|info)(?: \S+)?: (.*)$/.exec(line) ?? []
    return at === undefined || said === undefined ? [] : [{ at, text: said }]
  })
}
