import { type ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { sessions } from '../app.js'
import { machineOf } from '../core/machines/location.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { Dot } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { isPhone } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { ApprovalActions } from './ApprovalActions.js'
import { ApprovalBody } from './ApprovalBody.js'
import { countLines } from './describe.js'
import { QuestionForm } from './QuestionForm.js'
import { headOf, lineOf } from './say.js'
import { useCard, type Card } from './use-card.js'
import './prompts.css'

export interface PromptCardProps {
  waiting: Waiting
  /** Its position among the prompts that are answered in order. */
  position?: { at: number, of: number }
  /**
   * Whether it is one of a list: then it stays in place on phones too, instead of in a sheet, does not take the focus when it appears, and
   * is not announced.
   */
  listed?: boolean
  /** The length of the list. */
  among?: number
  /** A link to its chat, if it is shown elsewhere. */
  chat?: ComponentChildren
}

/** Shows a prompt that waits for the person, with the possible answers below. Key it by the prompt's id. */
export function PromptCard (props: PromptCardProps) {
  return isPhone.value && props.listed !== true ? <OnPhone {...props} /> : <InPlace {...props} />
}

function InPlace ({ waiting, position, listed = false, among = 1, chat }: PromptCardProps) {
  const card = useCard(waiting, { takesFocus: !listed, isAnnounced: !listed, among })
  const { onKeyDown, onFocus, onBlur } = card
  const titleId = useId()
  return (
    <section
      class={`prompt prompt-${waiting.kind}`} ref={card.element} tabIndex={-1} data-prompt={waiting.id}
      aria-label={`${screenWords.value.prompts[waiting.kind]}: ${lineOf(waiting)}`}
      aria-describedby={titleId} onKeyDown={onKeyDown} onFocusIn={onFocus} onFocusOut={onBlur}
    >
      <header class='prompt-head'>
        {chat}
        <Dot kind='wait' />
        <h2 class='prompt-title' id={titleId}><bdi>{headOf(waiting)}</bdi></h2>
        <Facts waiting={waiting} position={position} card={card} />
      </header>
      <Body waiting={waiting} card={card} />
    </section>
  )
}

/** On a phone: a sheet, or a line that opens it again after it was closed. */
function OnPhone ({ waiting, position }: PromptCardProps) {
  const [isOpen, setOpen] = useState(!isWriting())
  const w = screenWords.value.prompts
  return (
    <>
      <div class='prompt-line-in-place'>
        <Dot kind='wait' label={waiting.kind === 'approval' ? w.approval : w.question} />
        <bdi class='prompt-line-title'>{headOf(waiting)}</bdi>
        <Button onClick={() => setOpen(true)}>{w.open}</Button>
      </div>
      <PromptSheet waiting={waiting} position={position} open={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}

/** The card as a sheet. If it is closed without an answer, the prompt still waits. */
export function PromptSheet (props: Pick<PromptCardProps, 'waiting' | 'position'> & { open: boolean, onClose: () => void }) {
  return props.open ? <OpenSheet {...props} /> : null
}

function OpenSheet ({ waiting, position, onClose }: Pick<PromptCardProps, 'waiting' | 'position'> & { onClose: () => void }) {
  const card = useCard(waiting, { takesFocus: false, isAnnounced: true })
  const title = headOf(waiting)
  return (
    <Dialog open onClose={onClose} title={title} note={<Facts waiting={waiting} position={position} card={card} />} class='prompt-sheet'>
      <Body waiting={waiting} card={card} isSheet />
    </Dialog>
  )
}

const isWriting = (): boolean => document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value !== ''

function Facts ({ waiting, position, card }: Pick<PromptCardProps, 'waiting' | 'position'> & { card: Card }) {
  const w = screenWords.value.prompts
  const diff = waiting.kind === 'approval' && waiting.prompt.job_change === undefined ? waiting.prompt.diff : undefined
  const counts = diff === undefined ? null : countLines(diff)
  const clock = card.clock.value
  const machine = machineOf(sessions.row(waiting.sessionId)?.workspace ?? '')
  return (
    <span class='prompt-facts'>
      {machine === null ? null : <MachineBadge name={machine} />}
      {counts === null
        ? null
        : (
          <span class='prompt-counts'>
            {counts.added === 0 ? null : <span class='prompt-added'>+{counts.added}</span>}
            {counts.removed === 0 ? null : <span class='prompt-removed'>−{counts.removed}</span>}
          </span>
          )}
      <span class='prompt-since'>{w.since(times.at(waiting.requestedAtS))}</span>
      {position === undefined || position.of < 2 ? null : <span>{w.position(position.at, position.of)}</span>}
      {clock === null ? null : <span role='timer' class='prompt-left'>{w.left(clock)}</span>}
    </span>
  )
}

function Body ({ waiting, card, isSheet = false }: { waiting: Waiting, card: Card, isSheet?: boolean }) {
  const { answering } = card
  const error = answering.error.value
  const w = screenWords.value.prompts
  return (
    <>
      {waiting.kind === 'approval' ? <ApprovalBody approval={waiting.prompt} /> : null}
      {error === null
        ? null
        : (
          <div class='prompt-error'>
            <ErrorState error={w.notSent(error.message)} busy={answering.isBusy.value} onRetry={() => { void answering.retry() }} />
          </div>
          )}
      {waiting.kind === 'approval'
        ? <ApprovalActions approval={waiting.prompt} answering={answering} isGuarded={card.isGuarded.value} isSheet={isSheet} />
        : <QuestionForm question={waiting.prompt} answering={answering} isGuarded={card.isGuarded.value} box={card.box} />}
      {waiting.expiresAtS === 0
        ? null
        : (
          <p class='prompt-else'>
            {waiting.kind === 'approval' ? w.elseDenied : waiting.prompt.form === undefined ? w.elseAssumed : w.elseTold}
          </p>
          )}
    </>
  )
}
