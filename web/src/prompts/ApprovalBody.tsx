import { useSignal, type Signal } from '@preact/signals'
import { type Approval } from '../core/prompts.js'
import { screenWords } from '../words/index.js'
import { Button } from '../ui/Button.js'
import { LazyDiff } from '../ui/LazyDiff.js'
import { CardText, useFoldedDiff } from './CardText.js'
import { subjectOf, typed } from './describe.js'
import { foldedWords } from './folding.js'
import { useWhole, type Whole } from './use-whole.js'

/** What the call would do, as far as the service could tell: it stands above the buttons. */
export function ApprovalBody ({ approval: asked }: { approval: Approval }) {
  const whole = useWhole(asked)
  const { approval } = whole
  const { description, diff_note: note, content, request, budget } = approval
  const w = screenWords.value.prompts
  const subject = subjectOf(approval)
  const isOpen = useSignal(false)
  const { diff, hasFolded } = useFoldedDiff(approval, isOpen)
  return (
    <>
      <div class='prompt-what'>
        {description === '' ? null : <p class='prompt-sentence'><CardText approval={approval} field='description' text={description} isOpen={isOpen} /></p>}
        {subject.kind === 'command' || isTold(approval) ? null : <CommandText approval={approval} isOpen={isOpen} />}
        {subject.kind === 'command' ? <CommandView approval={approval} isOpen={isOpen} /> : null}
        {request === undefined ? null : <p class='prompt-address'><code><bdi>{`${request.method} ${request.scheme}://${request.host}${request.path}`}</bdi></code></p>}
        {note === undefined ? null : <p class='prompt-note'>{w.noDiff(note)}</p>}
        {diff !== undefined ? <LazyDiff diff={diff} bare lines={Infinity} /> : content !== undefined ? <ContentView approval={approval} content={content} isArguments={subject.kind === 'mcp'} isOpen={isOpen} /> : null}
        {hasFolded ? <Button size='small' class='prompt-unfold' onClick={() => { isOpen.value = true }}>{w.unfold}</Button> : null}
        {budget === undefined ? null : <BudgetView budget={budget} />}
      </div>
      {whole.unseen === 0 ? null : <Unseen whole={whole} />}
    </>
  )
}

/** Says in front of the buttons how much was not read yet. */
function Unseen ({ whole: { unseen, isBusy, error, hasMore, load } }: { whole: Whole }) {
  const w = screenWords.value.prompts
  return (
    <div class='prompt-unseen' role='note'>
      <span>{error === null ? w.unseen(unseen) : w.unseenFor(error.message)}</span>
      {hasMore ? <Button size='small' busy={isBusy} onClick={() => { void load() }}>{w.showRest}</Button> : null}
    </div>
  )
}

/** Whether the line that stands for the call says nothing that is not shown in another way. */
const isTold = ({ command, description, diff, content, request, budget }: Approval): boolean =>
  command === '' || description.includes(command) || diff !== undefined || content !== undefined || request !== undefined || budget !== undefined

interface Part { approval: Approval, isOpen: Signal<boolean> }

function CommandText ({ approval, isOpen }: Part) {
  return <pre class='prompt-pre' tabIndex={0} role='group' aria-label={screenWords.value.prompts.command}><CardText approval={approval} field='command' text={approval.command} isOpen={isOpen} /></pre>
}

function CommandView ({ approval, isOpen }: Part) {
  const { command_parts: parts = [], command_parts_truncated: isCut, folder, sandboxed } = approval
  const w = screenWords.value.prompts
  const folded = isOpen.value ? [] : foldedWords(approval)
  const shown = (line: string): string => folded.reduce((text, word) => text.replaceAll(word, w.folded(word.length)), line)
  const where = [folder === undefined ? null : w.inFolder(folder), sandboxed === undefined ? null : sandboxed ? w.sandboxed : w.unsandboxed].filter((text) => text !== null)
  return (
    <>
      <CommandText approval={approval} isOpen={isOpen} />
      {where.length === 0 ? null : <p class='prompt-note'><bdi>{where.join(' · ')}</bdi></p>}
      {parts.length > 1
        ? (
          <div class='prompt-parts'>
            <p class='prompt-note'>{w.parts}</p>
            <ol>{parts.map((part, at) => <li key={at}><code><bdi>{shown(typed(part))}</bdi></code></li>)}</ol>
          </div>)
        : null}
      {isCut === true ? <p class='prompt-note'>{w.partsCut}</p> : null}
    </>
  )
}

function ContentView ({ approval, content, isArguments, isOpen }: Part & { content: string, isArguments: boolean }) {
  const w = screenWords.value.prompts
  if (content === '') return <p class='prompt-note'>{w.emptyFile}</p>
  return <pre class='prompt-pre' tabIndex={0} role='group' aria-label={isArguments ? w.arguments : w.content}><CardText approval={approval} field='content' text={content} isOpen={isOpen} /></pre>
}

function BudgetView ({ budget }: { budget: NonNullable<Approval['budget']> }) {
  const w = screenWords.value.prompts.budget
  return (
    <ul class='prompt-budget'>
      {budget.map(({ scope, measure, used, limit, up_to: upTo }) => (
        <li key={`${scope} ${measure}`}>
          {w.line(w.scope[scope], w[measure](used), w[measure](limit), w[measure](upTo))}
          <meter min={0} max={limit} value={Math.min(used, limit)} aria-hidden='true' />
        </li>
      ))}
    </ul>
  )
}
