import { useSignal, type Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Approval } from '../core/conversation/prompts.js'
import { screenWords } from '../words/index.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Folder, Trash } from '../ui/icons.js'
import { InOrder } from '../ui/InOrder.js'
import { LazyDiff } from '../ui/LazyDiff.js'
import { LazyJobChange } from '../tasks/LazyJobChange.js'
import { CardParts, CardText, useFoldedDiff } from './CardText.js'
import { subjectOf, typed } from './describe.js'
import { deletedBy, newsAt, sayMore } from './effects.js'
import { foldedWords, toolEnd } from './folding.js'
import { saidIn, saidOf } from './reasons.js'
import { useBelow } from './use-below.js'
import { useWhole, type Whole } from './use-whole.js'

/** Shows the expected effects of the call, as far as the service knows them. */
export function ApprovalBody ({ approval: asked }: { approval: Approval }) {
  const whole = useWhole(asked)
  const { approval } = whole
  const { description, job_change: job, diff_note: note, diff_note_reason: missing, content, request, budget } = approval
  const w = screenWords.value.prompts
  const subject = subjectOf(approval)
  const said = saidOf(approval)
  const from = said === null ? newsAt(approval) : 0
  /** Whether the summary line of the call only repeats what is already shown. */
  const isTold = approval.command === '' || (said === null && description.includes(approval.command)) || approval.diff !== undefined ||
    content !== undefined || request !== undefined || budget !== undefined
  const isOpen = useSignal(false)
  const area = useRef<HTMLDivElement>(null)
  const below = useBelow(area)
  const { diff, hasFolded } = useFoldedDiff(approval, isOpen)
  // The pressed button disappears, so the keyboard focus moves into the text.
  const read = (): void => area.current?.focus({ preventScroll: true })
  return (
    <>
      <div
        class='prompt-area' ref={area} tabIndex={0} role='group' aria-label={w.details}
        onClick={({ target }) => { if (target instanceof Element && target.closest('.prompt-folded, .prompt-unfold') !== null) read() }}
      >
        <div class='prompt-what'>
          {subject.kind === 'command' ? <CommandView approval={approval} isOpen={isOpen} /> : null}
          {isTold || subject.kind === 'command'
            ? null
            : <CommandText approval={approval} isOpen={isOpen} from={subject.kind === 'other' ? 0 : toolEnd(approval)} />}
          {request === undefined
            ? null
            : (
              <p class='prompt-address'>
                <code><bdi dir='ltr'><InOrder text={`${request.method} ${request.scheme}://${request.host}${request.path}`} /></bdi></code>
              </p>
              )}
          {subject.kind === 'budget' || (said === null ? from === description.length : said.length === 0)
            ? null
            : (
              <p class='prompt-sentence'>
                {said === null
                  ? <CardText approval={approval} field='description' text={description} from={from} isOpen={isOpen} />
                  : <CardParts parts={said} isOpen={isOpen} isProse />}
              </p>)}
          {note === undefined ? null : <p class='prompt-note'>{w.noDiff(missing === undefined ? note : saidIn(missing) ?? note)}</p>}
          {diff !== undefined
            ? job?.before !== undefined || job?.after !== undefined
              ? <LazyJobChange change={job} />
              : <LazyDiff diff={diff} bare lines={Infinity} />
            : content !== undefined
              ? <ContentView approval={approval} content={content} isArguments={subject.kind === 'mcp'} isOpen={isOpen} />
              : null}
          {hasFolded ? <Button size='small' class='prompt-unfold' onClick={() => { isOpen.value = true }}>{w.unfold}</Button> : null}
          {budget === undefined ? null : <BudgetView budget={budget} />}
        </div>
      </div>
      <Unseen
        whole={whole} below={below} read={read}
        onDown={() => {
          area.current?.scrollBy({ top: area.current.clientHeight * 0.9 })
          read()
        }}
      />
    </>
  )
}

/** Shows how much is unread, above the buttons. It remains at the end, so that nothing moves under a finger. */
function Unseen ({ whole: { unseen, isBusy, error, hasMore, load }, below, read, onDown }: {
  whole: Whole
  below: number
  read: () => void
  onDown: () => void
}) {
  const w = screenWords.value.prompts
  const wasMore = useRef(false)
  wasMore.current ||= below > 0 || unseen > 0
  if (!wasMore.current) return null
  const told = [
    below === 0 ? '' : w.below(below),
    error !== null ? w.unseenFor(error.message) : unseen === 0 ? '' : w.unseen(unseen)
  ].filter((
    text
  ) => text !== '')
  return (
    <div class='prompt-unseen' role='note'>
      <span>{told.length === 0 ? w.wholeSeen : told.join(' ')}</span>
      {below === 0 ? null : <Button size='small' onClick={onDown}>{w.readOn}</Button>}
      {hasMore ? <Button size='small' busy={isBusy} onClick={() => { void load().then(read) }}>{w.showRest}</Button> : null}
    </div>
  )
}

interface Part { approval: Approval, isOpen: Signal<boolean> }

function CommandText ({ approval, isOpen, from = 0 }: Part & { from?: number }) {
  return (
    <pre class='prompt-pre' role='group' aria-label={screenWords.value.prompts.command}>
      <CardText approval={approval} field='command' text={approval.command} from={from} isOpen={isOpen} />
    </pre>
  )
}

/** The command, what it can access, and the programs in it if they tell more than its text. */
function CommandView ({ approval, isOpen }: Part) {
  const { command, command_parts: parts = [], command_parts_truncated: isCut, folder, sandboxed, limited_by: limitedBy } = approval
  const w = screenWords.value.prompts
  const folded = isOpen.value ? [] : foldedWords(approval)
  const shown = (line: string): string => folded.reduce((text, word) => text.replaceAll(word, w.folded(word.length)), line)
  const deleted = deletedBy(parts)
  const how = sandboxed === undefined ? null : !sandboxed ? w.unsandboxed : limitedBy === 'container' ? w.inContainer : w.sandboxed
  return (
    <>
      <CommandText approval={approval} isOpen={isOpen} />
      {parts.length > 0 && (isCut === true || sayMore(command, parts))
        ? (
          <div class='prompt-parts'>
            <p class='prompt-note'>{w.parts}</p>
            <ol>{parts.map((part, at) => <li key={at}><code><bdi dir='ltr'><InOrder text={shown(typed(part))} /></bdi></code></li>)}</ol>
          </div>)
        : null}
      {isCut === true ? <p class='prompt-note'>{w.partsCut}</p> : null}
      <ul class='prompt-effects'>
        {folder === undefined && sandboxed === undefined
          ? null
          : (
            <li>
              <Icon of={Folder} />
              <span>
                {folder === undefined ? how : w.inFolder(<code><bdi dir='ltr'><InOrder text={folder} /></bdi></code>, how)}
              </span>
            </li>)}
        {deleted.length === 0
          ? null
          : (
            <li class='prompt-deletes'>
              <Icon of={Trash} />
              <span>
                {w.deletes(deleted.map((target, at) => <>{at > 0 && ', '}<code><bdi dir='ltr'><InOrder text={shown(target)} /></bdi></code></>))}
              </span>
            </li>)}
      </ul>
    </>
  )
}

function ContentView ({ approval, content, isArguments, isOpen }: Part & { content: string, isArguments: boolean }) {
  const w = screenWords.value.prompts
  if (content === '') return <p class='prompt-note'>{w.emptyFile}</p>
  return (
    <pre class='prompt-pre' role='group' aria-label={isArguments ? w.arguments : w.content}>
      <CardText approval={approval} field='content' text={content} isOpen={isOpen} />
    </pre>
  )
}

function BudgetView ({ budget }: { budget: NonNullable<Approval['budget']> }) {
  const w = screenWords.value.prompts.budget
  return (
    <>
      <ul class='prompt-budget'>
        {budget.map(({ scope, measure, used, limit }) => (
          <li key={`${scope} ${measure}`}>
            <span>{w.scope[scope]}</span>
            <span class='prompt-used'>{w.used(w[measure](used), w[measure](limit))}</span>
            <span class='prompt-bar' aria-hidden><span style={{ inlineSize: `${Math.min(100, used / limit * 100)}%` }} /></span>
          </li>
        ))}
      </ul>
      <p class='prompt-note'>{w.then(budget.map(({ measure, up_to: upTo }) => w[measure](upTo)).join(', '))}</p>
    </>
  )
}
