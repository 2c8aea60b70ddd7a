import { type ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visible } from '../core/files/paths.js'
import { anchorOf } from '../core/files/review-anchor.js'
import { planPath } from '../core/files/plan.js'
import { isBelow, type ReviewComment, type Writing } from '../core/files/review.js'
import { Button } from '../ui/Button.js'
import { type DiffFile, type DiffLine } from '../ui/diff.js'
import { type DiffViewProps } from '../ui/DiffView.js'
import { Disclosure } from '../ui/Disclosure.js'
import { TextArea } from '../ui/Field.js'
import { Ellipsis } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { offerUndo, useAction, type Action } from './action.js'
import { type SideModel } from './side-model.js'
import './review.css'

/**
 * Returns the props that make a diff commentable. `pathOf`: returns the name of a diff's file in the workspace. `isPast`: the files have
 * changed since. `view`: distinguishes this diff from others that show the same lines.
 */
export function reviewing (
  model: SideModel, pathOf: (file: DiffFile) => string = ({ path }) => path, isPast = false, view = 'panel'
): Pick<DiffViewProps, 'onComment' | 'onLine' | 'below'> {
  const { review } = model
  const begin = (file: DiffFile, one: DiffLine, other: DiffLine): void => {
    const lines = file.hunks.find((hunk) => hunk.lines.includes(one))?.lines ?? []
    const anchor = anchorOf(lines, one, other)
    if (anchor === null) return
    const before = review.writing.peek()
    review.writing.value = { ...anchor, path: pathOf(file), text: before?.id === null ? before.text : '', id: null, view }
  }
  return {
    below: (file, line) => <Below model={model} path={pathOf(file)} line={line} isPast={isPast} view={view} />,
    ...(!model.isReadOnly && {
      onComment: (file, lines) => {
        // A comment on a changed line refers to its new text, one on a deletion to the old text.
        const now = lines.filter(({ kind }) => kind === 'add')
        const of = now.length > 0 ? now : lines
        const [first, last] = [of[0], of.at(-1)]
        if (first !== undefined && last !== undefined) begin(file, first, last)
      },
      onLine: (file, line, isMore) => {
        const writing = review.writing.peek()
        const start = !isMore || writing?.path !== pathOf(file)
          ? undefined
          : file.hunks.find(({ lines }) => lines.includes(line))?.lines.find((one) => (writing.side === 'old' ? one.before : one.after) === writing.line)
        begin(file, start ?? line, line)
      }
    })
  }
}

/** The comments whose lines end here, and the comment that is being written. */
export function Below ({ model, path, line, isPast = false, view = 'panel' }: {
  model: SideModel, path: string, line: DiffLine, isPast?: boolean, view?: string
}) {
  const { review } = model
  const comments = (path === planPath ? review.ofPlan : review.comments).value.filter((comment) => isBelow(comment, path, line, isPast))
  const writing = review.writing.value
  const isHere = writing !== null && writing.path === path && (writing.view ?? view) === view &&
    (writing.side === 'old' ? line.kind === 'del' && line.before === writing.end_line : line.after === writing.end_line)
  if (comments.length === 0 && !isHere) return null
  return (
    <div class='diff-below'>
      {comments.map((comment) => comment.id === writing?.id ? null : <Comment key={comment.id} model={model} comment={comment} />)}
      {isHere && <CommentBox model={model} writing={writing} />}
    </div>
  )
}

/** Writes a comment. It is a draft, on every device, until the review is sent. */
function CommentBox ({ model: { review }, writing }: { model: SideModel, writing: Writing }) {
  const action = useAction()
  const area = useRef<HTMLTextAreaElement>(null)
  const w = screenWords.value.review
  useEffect(() => { area.current?.focus() }, [writing.path, writing.end_line, writing.id])
  const keep = (): Promise<void> => action.run('keep', async () => await review.keep())
  const close = (): void => { review.writing.value = null }
  return (
    <form class='review-box' onSubmit={(event) => { event.preventDefault(); void keep() }}>
      <TextArea
        bare label={w.label(writing.line, writing.end_line)} placeholder={w.hint} rows={2} mostRows={10} value={writing.text} areaRef={area}
        onValue={(text) => { review.writing.value = { ...writing, text } }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void keep()
          else if (event.key !== 'Escape' || writing.text !== '') return
          else close()
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      <div class='side-actions'>
        <Button size='small' onClick={close}>{words.value.common.cancel}</Button>
        <Button
          type='submit' kind='primary' size='small' class='side-end' busy={action.doing !== null} disabled={writing.text.trim() === ''}
        >
          {writing.id === null ? w.add : words.value.common.save}
        </Button>
      </div>
    </form>
  )
}

/** Shows a comment and its state. */
function Comment ({ model, comment, isListed = false }: { model: SideModel, comment: ReviewComment, isListed?: boolean }) {
  const { review } = model
  const action = useAction()
  const w = screenWords.value.review
  const { id, version, path, line, end_line: endLine, side, text, state, answer, quote, place } = comment
  const items = (): MenuEntry[] => [
    ...(place === null || place.end_line < place.line ? [] : [{ text: w.show, onPick: () => model.open(place.path, place.line) }]),
    ...(state === 'sent'
      ? []
      : [{
          text: w.edit,
          onPick: () => { review.writing.value = { id, version, path: place?.path ?? path, side, line, end_line: side === 'new' ? place?.end_line ?? endLine : endLine, text, quote, before: [], after: [] } }
        }]),
    ...(state === 'draft' || state === 'sent'
      ? []
      : [{
          text: state === 'resolved' ? w.reopen : w.resolve,
          onPick: () => { void action.run('resolve', async () => await review.resolve(comment, state !== 'resolved')) }
        }]),
    'line',
    { text: w.remove, danger: true, onPick: () => { void action.run('remove', async () => await remove(model, comment)) } }
  ]
  return (
    <article class={`review-comment review-${state}`} aria-label={w.commentOn(visible(path), line)}>
      <header>
        <span class='review-state'>{w.states[state]}</span>
        {isListed && <span class='side-muted side-grow'><bdi>{visible(place?.path ?? path)}</bdi>:{place?.line ?? line}</span>}
        {place === null ? <span class='side-muted'>{w.gone}</span> : place.found === 'here' ? null : <span class='side-muted'>{w.found[place.found]}</span>}
        {!model.isReadOnly && <Menu label={w.actions} icon={Ellipsis} size='small' class='side-end' items={items} />}
      </header>
      {isListed && quote.length > 0 && <pre class='review-quote'>{quote.slice(0, 3).map(visible).join('\n')}</pre>}
      <p>{text}</p>
      {answer !== null && <p class='review-answer'><span class='visually-hidden'>{w.answer}: </span>{answer}</p>}
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
    </article>
  )
}

async function remove ({ review }: SideModel, comment: ReviewComment): Promise<void> {
  await review.remove(comment)
  const { path, side, line, end_line: end, quote, text } = comment
  offerUndo(screenWords.value.review.removed, async () => {
    review.writing.value = { id: null, path, side, line, end_line: end, quote, before: [], after: [], text }
    await review.keep()
  })
}

/** Lists the comments of the review, and sends its drafts. `isAgain`: the page may show another of these bars, which is the landmark. */
export function ReviewBar ({ model, isAgain = false }: { model: SideModel, isAgain?: boolean }) {
  const { review } = model
  const action = useAction()
  const { value: comments } = review.comments
  const w = screenWords.value.review
  const drafts = review.drafts.value.length
  const { writing: { value: writing } } = review
  const isElsewhere = writing !== null && writing.id !== null
  if (comments.length === 0) return null
  const send = (): Promise<void> => action.run('send', async () => {
    const isQueued = await review.send()
    toast(isQueued ? w.queued : w.sent, { kind: 'good' })
  })
  return (
    <section class='review-bar' aria-label={isAgain ? undefined : w.title}>
      <div class='review-bar-head'>
        <Disclosure summary={w.count(comments.length)}>
          {() => (
            <div class='review-list'>
              {comments.map((comment) => isElsewhere && comment.id === writing.id
                ? <CommentBox key={comment.id} model={model} writing={writing} />
                : <Comment key={comment.id} model={model} comment={comment} isListed />)}
            </div>
          )}
        </Disclosure>
        {drafts > 0 && !model.isReadOnly && (
          <Button kind='primary' size='small' busy={action.doing !== null} onClick={() => { void send() }}>{w.send(drafts)}</Button>
        )}
      </div>
      <Problem action={action} />
    </section>
  )
}

function Problem ({ action: { problem } }: { action: Action }): ComponentChildren {
  return problem === null ? null : <p class='side-problem' role='alert'>{problem}</p>
}
