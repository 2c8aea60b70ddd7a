import { useState } from 'preact/hooks'
import { isOffered, type Approval } from '../core/conversation/prompts.js'
import { Kbd } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { type Answering } from './answering.js'
import { sayRule } from './say.js'

export interface ApprovalActionsProps {
  approval: Approval
  answering: Answering
  /** Whether the card has just appeared: a press now was meant for something else. */
  isGuarded: boolean
  /** Whether the buttons are stacked, for thumbs. */
  isSheet?: boolean
}

/** The choices of an approval. "Once" is the widest button; "always" is apart, and shows its rule first. */
export function ApprovalActions ({ approval, answering, isGuarded, isSheet = false }: ApprovalActionsProps) {
  const [step, setStep] = useState<'choices' | 'more' | 'always'>('choices')
  const w = screenWords.value.prompts
  if (step === 'always') return <Always approval={approval} answering={answering} onBack={() => setStep('choices')} />
  const rules = approval.pattern_keys.map(sayRule).join(', ')
  const canSession = isOffered(approval, 'session')
  const canAlways = isOffered(approval, 'always')
  const isBusy = answering.isBusy.value
  const disabled = isGuarded || isBusy
  const { budget } = approval
  const [limit] = budget ?? []
  const keys = (text: string) => isSheet ? null : <Kbd>{text}</Kbd>
  const folds = isSheet && canSession && step === 'choices'
  return (
    <div class={isSheet ? 'prompt-buttons prompt-buttons-sheet' : 'prompt-buttons'}>
      <Button kind='primary' class='prompt-once' disabled={disabled} onClick={() => { void answering.send('once') }}>
        {limit === undefined ? w.once : budget?.length === 1 ? w.budget.goOnTo(w.budget[limit.measure](limit.up_to)) : w.budget.goOn}{' '}
        {keys('↵')}
      </Button>
      {canSession && !folds
        ? (
          <Button disabled={disabled} data-hint={w.sessionHint(rules)} onClick={() => { void answering.send('session') }}>
            {budget === undefined ? w.session : w.budget.unlimited}
          </Button>
          )
        : null}
      <Button disabled={disabled} onClick={() => { void answering.send('deny') }}>{budget === undefined ? w.deny : w.budget.stop}{keys('Esc')}</Button>
      {folds ? <Button disabled={disabled} onClick={() => setStep('more')}>{w.more}</Button> : null}
      {canAlways && !folds
        ? <Button kind='quiet' class='prompt-always' disabled={disabled} onClick={() => setStep('always')}>{w.always}</Button>
        : null}
    </div>
  )
}

/** The second step of "always": shows the rule that would be stored. */
function Always ({ approval, answering, onBack }: { approval: Approval, answering: Answering, onBack: () => void }) {
  const w = screenWords.value.prompts
  return (
    <div class='prompt-rule' role='group' aria-label={w.alwaysTitle}>
      <p>{w.alwaysText}</p>
      <ul>{approval.pattern_keys.map((key) => <li key={key}><bdi>{sayRule(key)}</bdi></li>)}</ul>
      <p class='prompt-note'>{w.alwaysNote}</p>
      <div class='prompt-buttons'>
        <Button autofocus disabled={answering.isBusy.value} buttonRef={(button) => { button?.focus() }} onClick={onBack}>{w.back}</Button>
        <Button kind='primary' class='prompt-always' busy={answering.isBusy.value} onClick={() => { void answering.send('always') }}>
          {w.allowAlways}
        </Button>
      </div>
    </div>
  )
}
