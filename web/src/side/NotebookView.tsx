import { useMemo, useState } from 'preact/hooks'
import { parseNotebook, type CellOutput, type NotebookCell } from '../core/files/notebook.js'
import { visibleText } from '../core/files/paths.js'
import { useColours } from '../markdown/colours.js'
import { Markdown } from '../markdown/Markdown.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { NotShown } from './FromBytes.js'

/** How many cells are drawn at first, and added with each "more". */
const mostCells = 60
/** Longer output is cut, because people read it and do not scroll through it. */
const mostOutputChars = 20_000

/** Shows a notebook as its cells, with the results of their last run. */
export function NotebookView ({ bytes, downloadUrl, onFile }: {
  bytes: ArrayBuffer
  downloadUrl: string
  onFile: (path: string, line: number | null) => void
}) {
  const notebook = useMemo(() => parseNotebook(new TextDecoder().decode(bytes)), [bytes])
  const [most, setMost] = useState(mostCells)
  const w = screenWords.value.files.preview
  if (notebook === null) return <NotShown title={w.notNotebook} downloadUrl={downloadUrl} />
  const { cells, language } = notebook
  return (
    <div class='side-scroll notebook' tabIndex={0} role='group' aria-label={w.cells(cells.length)}>
      {cells.slice(0, most).map((cell, at) => <Cell key={at} cell={cell} language={language} onFile={onFile} />)}
      {cells.length > most && (
        <Button kind='quiet' wide onClick={() => setMost(most + mostCells)}>{w.moreCells(cells.length - most)}</Button>
      )}
    </div>
  )
}

function Cell ({ cell: { kind, text, count, outputs }, language, onFile }: {
  cell: NotebookCell
  language: string
  onFile: (path: string, line: number | null) => void
}) {
  if (kind === 'markdown') return <div class='notebook-cell'><Markdown text={text} onFile={onFile} /></div>
  return (
    <div class='notebook-cell'>
      {text !== '' && <Source text={text} language={kind === 'code' ? language : ''} count={count} />}
      {outputs.map((output, at) => <Output key={at} output={output} />)}
    </div>
  )
}

function Source ({ text, language, count }: { text: string, language: string, count: number | null }) {
  const shown = useMemo(() => visibleText(text), [text])
  const coloured = useColours(shown, language)
  return (
    <div class='notebook-source'>
      <span class='notebook-count'>{count === null ? '' : `[${count}]`}</span>
      <pre><code>{coloured ?? shown}</code></pre>
    </div>
  )
}

function Output ({ output }: { output: CellOutput }) {
  const w = screenWords.value.files.preview
  if (output.kind === 'picture') return <img class='notebook-picture' src={output.source} alt={w.resultPicture} loading='lazy' decoding='async' />
  if (output.kind === 'hidden') return <p class='side-muted notebook-output'>{w.resultHidden(output.type)}</p>
  const text = visibleText(output.text.slice(0, mostOutputChars).trimEnd())
  return (
    <pre class={output.kind === 'error' ? 'notebook-output notebook-error' : 'notebook-output'}>
      {text}{output.text.length > mostOutputChars && '\n…'}
    </pre>
  )
}
