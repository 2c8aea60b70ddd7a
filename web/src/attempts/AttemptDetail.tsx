import { useState } from 'preact/hooks'
import { folderName } from '../core/machines/location.js'
import { Markdown } from '../markdown/Markdown.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Link } from '../ui/Link.js'
import { screenWords, words } from '../words/index.js'
import { AttemptChanges } from './AttemptChanges.js'
import { isAtWork, take, type Attempt, type AttemptsView } from './attempts.js'

/** One attempt: its description, its changes, and the way to take it. */
export function AttemptDetail ({ view, attempt, name }: { view: AttemptsView, attempt: Attempt, name: string }) {
  const [isTaking, setTaking] = useState(false)
  const w = screenWords.value.attempts
  const { reason, review, check_output: output, answer, error, files, has_worktree: hasWorktree } = attempt
  const canTake = hasWorktree && !isAtWork(attempt) && (files ?? 0) > 0
  return (
    <section class='attempts-detail' aria-label={name}>
      <header class='attempts-detail-head'>
        <h2><bdi>{name}</bdi></h2>
        <Link href={places.session(attempt.session_id)} class='attempts-open'>{w.openChat}</Link>
        {canTake ? <Button kind='primary' onClick={() => setTaking(true)}>{w.take}</Button> : null}
      </header>
      {error === null ? null : <p class='attempts-bad'>{error}</p>}
      {reason === null || reason === '' ? null : <p><b>{w.judge}:</b> {reason}</p>}
      {review === null ? null : <section aria-label={w.review}><h3>{w.review}</h3><Markdown text={review} headingLevel={4} /></section>}
      {output === null ? null : <Disclosure summary={w.checkOutput}><pre class='attempts-output' tabIndex={0}>{output}</pre></Disclosure>}
      {answer === '' ? null : <Disclosure summary={w.answer}><Markdown text={answer} headingLevel={4} /></Disclosure>}
      {hasWorktree
        ? (files ?? 0) === 0 || isAtWork(attempt) ? null : <AttemptChanges view={view} attempt={attempt} />
        : <p class='attempts-note'>{w.noWorktree}</p>}
      {isTaking ? <TakeDialog view={view} attempt={attempt} onClose={() => setTaking(false)} /> : null}
    </section>
  )
}

function TakeDialog ({ view, attempt, onClose }: { view: AttemptsView, attempt: Attempt, onClose: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.attempts
  const confirm = async (): Promise<void> => {
    setBusy(true)
    await take(view, attempt)
    onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>{words.value.common.cancel}</Button>
      <Button kind='primary' busy={isBusy} onClick={() => { void confirm() }}>{w.take}</Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={w.takeTitle} size='small' actions={actions}>
      <p>{w.takeNote(attempt.files ?? 0, folderName(view.workspace))}</p>
    </Dialog>
  )
}
