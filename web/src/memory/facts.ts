/** A row of a document: its lines from `from` up to, but not including, `to`. */
export interface Row {
  kind: 'fact' | 'heading'
  /** Without the list mark and the indentation. */
  text: string
  /** `- ` for an item of a list; empty for a paragraph. */
  mark: string
  from: number
  to: number
}

const item = /^([-*+] |\d+[.)] )(.*)$/
const heading = /^#{1,6} +(?! )(.*)$/

/** Splits a document into its facts: list items with their content, and paragraphs. */
export function rowsOf (document: string): Row[] {
  const rows: Row[] = []
  for (const [at, line] of document.split('\n').entries()) {
    const last = rows.at(-1)
    const [, title] = heading.exec(line) ?? []
    const [, mark, text] = item.exec(line) ?? []
    if (title !== undefined) rows.push({ kind: 'heading', text: title, mark: '', from: at, to: at + 1 })
    else if (mark !== undefined && text !== undefined) rows.push({ kind: 'fact', text, mark, from: at, to: at + 1 })
    else if (line.trim() === '') continue
    else if (last?.kind === 'fact' && (last.to === at || (last.mark !== '' && /^\s/.test(line)))) {
      last.text += `${'\n'.repeat(at + 1 - last.to)}${line.startsWith(' '.repeat(last.mark.length)) ? line.slice(last.mark.length) : line}`
      last.to = at + 1
    } else rows.push({ kind: 'fact', text: line, mark: '', from: at, to: at + 1 })
  }
  return rows
}

/** Returns the document with another text for a row; null removes the row. */
export function withRow (document: string, { mark, from, to }: Row, text: string | null): string {
  const lines = document.split('\n')
  lines.splice(from, to - from, ...text === null ? [] : written(mark, text))
  return lines.join('\n')
}

/** Returns the document with one more fact at its end. */
export function withFact (document: string, text: string): string {
  const before = document.trimEnd()
  return `${before}${before === '' ? '' : '\n'}${written('- ', text).join('\n')}\n`
}

const written = (mark: string, text: string): string[] =>
  text.trim().split('\n').map((line, at) => at === 0 ? mark + line : line.trim() === '' ? '' : ' '.repeat(mark.length) + line)
