import { useState } from 'preact/hooks'
import { type FileText } from '../core/files/opened-file.js'
import { visible, visibleText } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Tabs } from '../ui/Tabs.js'
import { screenWords } from '../words/index.js'

/** How many rows are drawn at first, and added with each "more": a large table would take a second to draw. */
const rowsAtOnce = 200

/** Shows rows of cells; the first row has the column names. */
export function Cells ({ rows, cut }: { rows: ReadonlyArray<ReadonlyArray<string | number | boolean | null>>, cut: boolean }) {
  const [most, setMost] = useState(rowsAtOnce)
  const [head = [], ...rest] = rows
  const w = screenWords.value.files.preview
  const said = (cell: string | number | boolean | null): string => cell === null ? '' : visible(String(cell))
  const left = rest.length - most
  return (
    <div class='side-scroll' tabIndex={0} role='group' aria-label={w.sheet}>
      <table class='cells'>
        <thead><tr>{head.map((cell, at) => <th key={at} scope='col'>{said(cell)}</th>)}</tr></thead>
        <tbody>
          {rest.slice(0, most).map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={typeof cell === 'number' || /^-?[\d.,\s]+%?$/.test(String(cell)) ? 'cells-number' : undefined}>
                  {said(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <Button kind='quiet' onClick={() => setMost(most + rowsAtOnce)}>{w.moreRows(Math.min(left, rowsAtOnce))}</Button>
      )}
      {left <= 0 && cut && <p class='side-note'>{w.rowsCut(rows.length)}</p>}
    </div>
  )
}

/** Shows the text of an office document. */
export function OfficeText ({ file: { content, preview } }: { file: FileText }) {
  const [sheet, setSheet] = useState('0')
  const w = screenWords.value.files.preview
  const sheets = preview?.sheets ?? []
  const note = <p class='side-note'>{preview?.truncated === true ? w.documentStart : w.document}</p>
  const shown = sheets[Number(sheet)] ?? sheets[0]
  if (shown !== undefined) {
    return (
      <>
        {note}
        <Tabs
          class='side-grow preview-sheets' label={w.sheet} chosen={sheet} onChoose={setSheet}
          tabs={sheets.map(({ name }, at) => ({ key: String(at), text: visible(name) }))}
        >
          <Cells rows={shown.rows} cut={preview?.truncated === true} />
        </Tabs>
      </>
    )
  }
  const slides = preview?.slides ?? []
  return (
    <div class='side-scroll side-padded preview-document' tabIndex={0}>
      {note}
      {slides.length > 0
        ? slides.map((slide, at) => <section key={at}><h2>{w.slide(at + 1)}</h2><p class='preview-prose'>{visibleText(slide)}</p></section>)
        : <p class='preview-prose'>{visibleText(content)}</p>}
    </div>
  )
}
