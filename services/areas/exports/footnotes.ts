import { type Slice } from './slices.js'

/** The footnotes of a text by their labels, and the text without them. */
export interface TakenFootnotes { slices: Slice[], notes: Map<string, string> }

const begin = /^ {0,3}\[\^([^\]\s]{1,80})\]:[ \t]*/
const mostNotes = 500

export const labelOf = (label: string): string => label.toLowerCase()

/** Takes out each `[^label]: …` with its lines: those up to an empty one, and after that, indented ones. */
export function takeFootnotes (all: readonly Slice[]): TakenFootnotes {
  const notes = new Map<string, string>()
  const slices = all.map((slice) =>
    slice.kind === 'text' && slice.text.includes('[^') ? { ...slice, text: withoutNotes(slice.text, notes) } : slice)
  return { slices, notes }
}

function withoutNotes (text: string, notes: Map<string, string>): string {
  const left: string[] = []
  let note: { label: string, lines: string[] } | null = null
  let fence: string | null = null
  const close = (): void => {
    if (note !== null && !notes.has(note.label)) notes.set(note.label, note.lines.join('\n').trim())
    note = null
  }
  for (const line of text.split('\n')) {
    const mark = /^[\s>]*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence
    const found = fence === null && notes.size < mostNotes ? begin.exec(line) : null
    const open: { label: string, lines: string[] } | null = note
    if (found !== null) {
      close()
      note = { label: labelOf(found[1] ?? ''), lines: [line.slice(found[0].length)] }
    } else if (open !== null && (line.trim() === '' || /^(?: {0,3}\t| {4})/.test(
      line
    ) || open.lines.at(-1)?.trim() !== '')) open.lines.push(line.replace(/^(?: {4}|\t)/, ''))
    else {
      if (open !== null) left.push('')
      close()
      left.push(line)
    }
  }
  close()
  return left.join('\n')
}
