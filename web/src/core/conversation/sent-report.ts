/** One line of a report: a place, and the text about it. */
export interface ReportLine { at: string, text: string }

const starts = /^(?:Review: \d+ comments? on \d+ files?\.|These are the results of checks in the workspace\.|These checks ran by themselves after your changes)/

/** Whether the service composed a message for the agent, from comments or results of checks. */
export const isReport = (text: string): boolean => starts.test(text)

/** Returns the parts of a report that a person needs to see: the note, and the comments or problems. */
export function reportOf (text: string): { kind: 'review' | 'checks', note: string, lines: ReportLine[] } {
  const kind = text.startsWith('Review: ') ? 'review' : 'checks'
  const [, second = '', third = ''] = text.split('\n\n', 3)
  const note = /^(?:Work through every comment|Fix the cause of what they report)/.test(second) || third === '' ? '' : second
  return { kind, note, lines: kind === 'review' ? commentsIn(text) : problemsIn(text) }
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

/** Returns the place named by a heading such as `### [r1] `src/a.ts`, lines 3 to 5`; null for other lines. */
function placeIn (line: string): string | null {
  const [head, ticks = ''] = /^### \[[\w-]+\] (`+)/.exec(line) ?? []
  const end = line.lastIndexOf('`') + 1
  const [, from, to] = /^, lines? (\d+)(?: to (\d+))?/.exec(line.slice(end)) ?? []
  if (head === undefined || from === undefined) return null
  return `${line.slice(head.length, end - ticks.length).trim()}:${to === undefined ? from : `${from}–${to}`}`
}

function problemsIn (text: string): ReportLine[] {
  // Outputs are fenced; they are removed.
  return text.replaceAll(/^(`{3,})\n[^]*?\n\1$/gm, '').split('\n').flatMap((line) => {
    const [, check] = /^## (.*)$/.exec(line) ?? []
    if (check !== undefined) return [{ at: check, text: '' }]
    const [, at, said] = /^- (\S+) (?:error|warning|info)(?: \S+)?: (.*)$/.exec(line) ?? []
    return at === undefined || said === undefined ? [] : [{ at, text: said }]
  })
}
