import { opened } from '../conversation/opened.js'
import { visible } from '../core/files/paths.js'
import { type DiffLine } from '../ui/diff.js'
import { isDesk } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { closeSide } from './open.js'

/** The most lines that a comment quotes; the agent can read the others. */
const mostQuoted = 12
const signs = { same: ' ', add: '+', del: '-', note: '' } as const

/** Returns lines of a diff as a quotation, headed by their file and line. */
function quotationOf (path: string, lines: readonly DiffLine[]): string {
  const w = screenWords.value.files.changes
  const at = lines.find(({ after }) => after !== null)?.after ?? lines[0]?.before ?? null
  const quoted = lines.slice(0, mostQuoted).map(({ kind, text }) => `> ${signs[kind]} ${text}`.trimEnd())
  const rest = lines.length > mostQuoted ? [`> ${w.moreLines(lines.length - mostQuoted)}`] : []
  return [w.quoted(visible(path), at), ...quoted, ...rest, '', ''].join('\n')
}

/** Puts lines of a diff into the message box, after what is written there, and moves the focus behind them. */
export function comment (path: string, lines: readonly DiffLine[]): void {
  const draft = opened.peek()?.draft
  if (draft === undefined) return
  const before = draft.text.peek().trimEnd()
  draft.write(`${before === '' ? '' : `${before}\n\n`}${quotationOf(path, lines)}`)
  if (!isDesk.peek()) closeSide()
  // The box takes over the text first.
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLTextAreaElement>('#message')
    box?.focus()
    box?.setSelectionRange(box.value.length, box.value.length)
  })
}
