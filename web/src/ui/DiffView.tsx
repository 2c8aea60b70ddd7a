import { Fragment, type ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { screenWords, words } from '../words/index.js'
import { Button } from './Button.js'
import { FileName } from './FileName.js'
import { Check, MessageSquareQuote, Undo2 } from './icons.js'
import { InOrder } from './InOrder.js'
import { parseDiff, type DiffFile, type DiffHunk, type DiffLine } from './diff.js'
import { isTouch } from './screen.js'
import './diff.css'

export interface DiffViewProps {
  /** A unified diff, of one or more files. */
  diff: string | null | undefined
  /** Whether the service has cut it (`diff_truncated`). */
  truncated?: boolean
  /** The service's note on it (`diff_note`). */
  note?: string | null
  /** Whether to omit file headings, because the only file is named elsewhere. */
  bare?: boolean
  /** The path of the only file that is shown. */
  only?: string
  /** The number of lines shown at first. */
  lines?: number
  onFile?: (path: string, line: number | null) => void
  /** Reverts a hunk; without it, hunks cannot be reverted. */
  onRevert?: (file: DiffFile, hunk: DiffHunk) => void
  /** Offers to take a hunk elsewhere: `text` names the action, `take` gets the file and the number of the hunk in it. */
  onTake?: { text: string, take: (file: DiffFile, at: number) => void }
  /** Comments on a hunk; without it, none can be commented on. */
  onComment?: (file: DiffFile, lines: readonly DiffLine[]) => void
  /** Comments on a line or, if `isMore`, on all lines since the one where the comment began; without it, lines cannot be commented on. */
  onLine?: (file: DiffFile, line: DiffLine, isMore: boolean) => void
  /** Returns content for above the lines of a file, or in their place, such as pictures; null: nothing. */
  above?: (file: DiffFile) => ComponentChildren
  /** Returns content that replaces the `lines` of a file, such as those of a document's text; null: the lines are shown. */
  instead?: (file: DiffFile, lines: ComponentChildren) => ComponentChildren
  /** Returns content for below a line. */
  below?: (file: DiffFile, line: DiffLine) => ComponentChildren
}

type Actions = Pick<DiffViewProps, 'onRevert' | 'onTake' | 'onComment' | 'onLine' | 'below'>

/** Runs of at least this many unchanged lines are collapsed, apart from those next to a change. */
const foldedFrom = 10
const keptAround = 3

/** Shows a diff line by line. */
export function DiffView ({ diff, truncated = false, note, bare = false, only, lines = 400, ...rest }: DiffViewProps) {
  const files = useMemo(() => parseDiff(diff ?? '').filter(({ path }) => only === undefined || path === only), [diff, only])
  const [whole, setWhole] = useState(false)
  const { ui } = words.value
  const { diff: w } = screenWords.value
  const total = files.reduce((sum, { hunks }) => sum + hunks.reduce((inFile, hunk) => inFile + hunk.lines.length, 0), 0)
  let left = whole ? Infinity : lines
  return (
    <div class='diff'>
      {files.length === 0 && !truncated && (note ?? '') === '' && <p class='diff-note'>{w.noChange}</p>}
      {files.map((file, at) => {
        if (left <= 0) return null
        const share = left
        left -= file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
        return <FileDiff key={at} file={file} bare={bare && files.length === 1} most={share} {...rest} />
      })}
      {!whole && total > lines && <Button kind='quiet' class='diff-more' onClick={() => setWhole(true)}>{ui.showAll(total)}</Button>}
      {note !== undefined && note !== null && note !== '' && <p class='diff-note'>{note}</p>}
      {truncated && (note ?? '') === '' && <p class='diff-note'>{w.truncated}</p>}
    </div>
  )
}

function FileDiff ({ file, bare, most, onFile, above, instead, ...actions }: {
  file: DiffFile
  bare: boolean
  most: number
} & Pick<DiffViewProps, 'onFile' | 'above' | 'instead'> & Actions) {
  const { diff } = screenWords.value
  let left = most
  const shown = above?.(file) ?? null
  const lines = file.hunks.length > 0 && (
    <div
      class='diff-scroll' tabIndex={0} role='group'
      aria-label={file.path === '' ? diff.counts(file.added, file.removed) : file.path}
    >
      <div class='diff-lines'>
        {file.hunks.map((hunk, at) => {
          if (left <= 0) return null
          const share = left
          left -= hunk.lines.length
          return <Hunk key={at} at={at} file={file} hunk={hunk} most={share} {...actions} />
        })}
      </div>
    </div>
  )
  return (
    <section class='diff-file' aria-label={bare || file.path === '' ? undefined : `${file.path}: ${diff.counts(file.added, file.removed)}`}>
      {!bare && file.path !== '' && <FileHead file={file} onFile={onFile} />}
      {instead?.(file, lines) ?? (
        <>
          {shown ?? (file.binary && <p class='diff-note'>{diff.binary}</p>)}
          {lines}
        </>
      )}
    </section>
  )
}

function FileHead ({ file: { path, from, state, added, removed, hunks }, onFile }: { file: DiffFile, onFile: DiffViewProps['onFile'] }) {
  const { diff } = screenWords.value
  const line = hunks[0]?.lines.find(({ kind }) => kind !== 'same')?.after ?? null
  return (
    <header class='diff-head'>
      {onFile === undefined || state === 'deleted'
        ? <FileName path={path} class='diff-path' />
        : <button type='button' class='diff-path diff-open' onClick={() => onFile(path, line)}><FileName path={path} /></button>}
      {state === 'created' && <span class='diff-state'>{diff.created}</span>}
      {state === 'deleted' && <span class='diff-state'>{diff.deleted}</span>}
      {from !== null && <span class='diff-state'>{diff.renamed(from)}</span>}
      <Counts added={added} removed={removed} />
    </header>
  )
}

/** Shows `+3 −2`, and says it in words to screen readers. */
export function Counts ({ added, removed }: { added: number, removed: number }) {
  return (
    <span class='diff-counts' role='img' aria-label={screenWords.value.diff.counts(added, removed)}>
      {added > 0 && <span class='diff-plus'>+{added.toLocaleString('en')}</span>}
      {removed > 0 && <span class='diff-minus'>−{removed.toLocaleString('en')}</span>}
    </span>
  )
}

function Hunk ({ file, hunk, at: number, most, onRevert, onTake, onComment, onLine, below }: {
  file: DiffFile
  hunk: DiffHunk
  at: number
  most: number
} & Actions) {
  const [open, setOpen] = useState<readonly number[]>([])
  const { context, lines } = hunk
  // At the beginning of a file, the line numbers already show the gap.
  const gap = hunk === file.hunks[0] ? 0 : hunk.skipped
  const w = screenWords.value.diff
  const shown = lines.length > most ? lines.slice(0, most) : lines
  const changed = lines.filter(({ kind }) => kind === 'add' || kind === 'del')
  return (
    <div class='diff-hunk'>
      {(gap > 0 || context !== '') && (
        <div class='diff-gap'>{[gap > 0 && w.unchanged(gap), context].filter(Boolean).join(' · ')}</div>
      )}
      {(onRevert !== undefined || onTake !== undefined || onComment !== undefined) && (
        <div class='diff-actions'>
          {onComment !== undefined && (
            <Button kind='quiet' size='small' class='diff-comment' icon={MessageSquareQuote} onClick={() => onComment(file, changed)}>{w.comment}</Button>
          )}
          {onTake !== undefined && (
            <Button kind='quiet' size='small' icon={Check} onClick={() => onTake.take(file, number)}>{onTake.text}</Button>
          )}
          {onRevert !== undefined && (
            <Button kind='quiet' size='small' icon={Undo2} onClick={() => onRevert(file, hunk)}>{w.revert}</Button>
          )}
        </div>
      )}
      {folds(shown).map(({ from, to, folded }) => folded && !open.includes(from)
        ? (
          <button key={from} type='button' class='diff-gap diff-fold' onClick={() => setOpen([...open, from])}>
            {w.unchanged(to - from)}
          </button>
          )
        : shown.slice(from, to).map((line, at) => (
          <Fragment key={from + at}>
            <Line line={line} onPick={onLine === undefined ? undefined : (isMore) => onLine(file, line, isMore)} />
            {below?.(file, line)}
          </Fragment>
        )))}
    </div>
  )
}

/** Splits lines into parts; long unchanged parts are collapsed. */
function folds (lines: readonly DiffLine[]): Array<{ from: number, to: number, folded: boolean }> {
  const parts: Array<{ from: number, to: number, folded: boolean }> = []
  let shown = 0
  for (let at = 0; at < lines.length;) {
    let end = at
    while (lines[end]?.kind === 'same') end++
    const from = at === 0 ? 0 : at + keptAround
    const to = end === lines.length ? end : end - keptAround
    if (to - from >= foldedFrom && end - at < lines.length) {
      if (from > shown) parts.push({ from: shown, to: from, folded: false })
      parts.push({ from, to, folded: true })
      shown = to
    }
    at = Math.max(end, at + 1)
  }
  if (shown < lines.length) parts.push({ from: shown, to: lines.length, folded: false })
  return parts
}

const signs = { same: '', add: '+', del: '−', note: '' }

function Line ({ line: { kind, text, before, after, marked }, onPick }: {
  line: DiffLine
  onPick: ((isMore: boolean) => void) | undefined
}) {
  const { diff } = screenWords.value
  if (kind === 'note') return <div class='diff-line diff-line-note'>{diff.noNewline}</div>
  const said = kind === 'add' ? diff.added : kind === 'del' ? diff.removed : null
  const number = after ?? before ?? 0
  return (
    <div class={`diff-line diff-${kind}`}>
      {/* Keyboard users have the button of the hunk: a tab stop at each line would be too many. */}
      {onPick === undefined
        ? <span class='diff-number' data-number={number} aria-hidden />
        : (
          <button
            type='button' class='diff-number diff-remark' data-number={number} tabIndex={-1} aria-label={diff.commentOn(number)}
            // On a touch screen, tapping a second line ends the range that the first tap began.
            onClick={(event) => onPick(event.shiftKey || isTouch.peek())}
          />
          )}
      <span class='diff-sign' data-sign={signs[kind]} aria-hidden />
      {said !== null && <span class='visually-hidden'>{said}: </span>}
      <span class='diff-text'>
        {marked === undefined
          ? <InOrder text={text} />
          : (
            <>
              <InOrder text={text.slice(0, marked[0])} />
              <mark><InOrder text={text.slice(...marked)} /></mark>
              <InOrder text={text.slice(marked[1])} />
            </>
            )}
        {text === '' && '\u200b'}
      </span>
    </div>
  )
}
