import { useState } from 'preact/hooks'
import { visible } from '../core/files/paths.js'
import { folderName } from '../core/machines/location.js'
import { Confirm } from '../settings/Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { CircleStop, Trash, Undo2 } from '../ui/icons.js'
import { isDesk } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { AttemptDetail } from './AttemptDetail.js'
import { isAtWork, removeWorktrees, stop, undo, useAttempts, type Attempt, type AttemptsView } from './attempts.js'
import { ChangesCell, CheckCell, StateCell, timeOf } from './cells.js'

/** Attempts at a task side by side, and one of them in detail. */
export function Comparison ({ id }: { id: string }) {
  const attempts = useAttempts(id)
  return <Loaded of={attempts} lines={8}>{(view) => <Compared view={view} />}</Loaded>
}

function Compared ({ view }: { view: AttemptsView }) {
  const [picked, setPicked] = useState<string | null>(null)
  const { sessions, best_session_id: best, taken_session_id: taken } = view
  const w = screenWords.value.attempts
  const of = (wanted: string | null): Attempt | undefined => sessions.find(({ session_id: id }) => id === wanted)
  const chosen = of(picked) ?? of(taken ?? best) ?? sessions[0]
  if (chosen === undefined) return <p class='attempts-note'>{w.gone}</p>
  const rows = { view, chosen: chosen.session_id, onPick: setPicked }
  return (
    <>
      <Head view={view} />
      {isDesk.value ? <AttemptTable {...rows} /> : <AttemptCards {...rows} />}
      <AttemptDetail key={chosen.session_id} view={view} attempt={chosen} name={nameOf(view, chosen)} />
    </>
  )
}

function Head ({ view }: { view: AttemptsView }) {
  const [isRemoving, setRemoving] = useState(false)
  const { attempts_id: id, message, workspace, state, carried, budget, kept_until: kept, verdict, sessions, can_undo: canUndo } = view
  const w = screenWords.value.attempts
  const isBusy = sessions.some(isAtWork)
  const notes = [
    carried && w.carried, state === 'judging' && w.judging, verdict,
    budget.limit_usd !== null && w.budget(w.cost(budget.usd), w.cost(budget.limit_usd)),
    budget.limit_tokens !== null && w.budget(w.tokens(budget.tokens), w.tokensUsed(w.tokens(budget.limit_tokens))),
    kept !== null && w.kept(times.next(kept))
  ].filter((note) => typeof note === 'string')
  return (
    <section class='attempts-head'>
      <div>
        <h2><bdi>{message}</bdi></h2>
        <p class='attempts-note' title={visible(workspace)}><bdi>{folderName(workspace)}</bdi>{notes.map((note) => ` · ${note}`).join('')}</p>
      </div>
      <div class='attempts-actions'>
        {isBusy ? <Button icon={CircleStop} onClick={() => { void stop(id) }}>{w.stop}</Button> : null}
        {canUndo ? <Button icon={Undo2} onClick={() => { void undo(id) }}>{w.undo}</Button> : null}
        {!isBusy && sessions.some(({ has_worktree: has }) => has)
          ? <Button icon={Trash} onClick={() => setRemoving(true)}>{w.remove}</Button>
          : null}
      </div>
      {isRemoving
        ? (
          <Confirm
            title={w.removeTitle} note={w.removeNote} action={w.remove} onClose={() => setRemoving(false)}
            onConfirm={async () => await removeWorktrees(id)}
          />
          )
        : null}
    </section>
  )
}

interface Rows { view: AttemptsView, chosen: string, onPick: (sessionId: string) => void }

function AttemptTable ({ view, chosen, onPick }: Rows) {
  const { columns: w, cost, tokens } = screenWords.value.attempts
  return (
    <div class='attempts-scroll' tabIndex={0} role='group' aria-label={screenWords.value.attempts.count(view.sessions.length)}>
      <table class='attempts-table'>
        <thead>
          <tr>
            <th scope='col'>{w.attempt}</th><th scope='col'>{w.state}</th><th scope='col'>{w.check}</th><th scope='col'>{w.changes}</th>
            <th scope='col' class='attempts-number'>{w.cost}</th><th scope='col' class='attempts-number'>{w.tokens}</th>
            <th scope='col' class='attempts-number'>{w.time}</th>
          </tr>
        </thead>
        <tbody>
          {view.sessions.map((attempt) => (
            <tr key={attempt.session_id} data-chosen={attempt.session_id === chosen || undefined}>
              <th scope='row'>
                <Pick view={view} attempt={attempt} isChosen={attempt.session_id === chosen} onPick={onPick} />
              </th>
              <td><StateCell attempt={attempt} /></td>
              <td><CheckCell attempt={attempt} /></td>
              <td><ChangesCell attempt={attempt} /></td>
              <td class='attempts-number'>{cost(attempt.cost)}</td>
              <td class='attempts-number'>{tokens(attempt.input_tokens + attempt.output_tokens)}</td>
              <td class='attempts-number'>{timeOf(attempt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AttemptCards ({ view, chosen, onPick }: Rows) {
  const { cost, tokens, tokensUsed } = screenWords.value.attempts
  return (
    <ul class='attempts-cards'>
      {view.sessions.map((attempt) => (
        <li key={attempt.session_id} data-chosen={attempt.session_id === chosen || undefined}>
          <Pick view={view} attempt={attempt} isChosen={attempt.session_id === chosen} onPick={onPick} />
          <p class='attempts-facts'>
            <StateCell attempt={attempt} />
            {attempt.check_passed === null ? null : <CheckCell attempt={attempt} />}
            <ChangesCell attempt={attempt} />
            {/* Together: what was spent must not wrap one by one. */}
            <span>
              {[
                ...attempt.cost === null || attempt.cost === 0 ? [] : [cost(attempt.cost)],
                tokensUsed(tokens(attempt.input_tokens + attempt.output_tokens)), timeOf(attempt)
              ].join(' · ')}
            </span>
          </p>
        </li>
      ))}
    </ul>
  )
}

function Pick ({ view, attempt, isChosen, onPick }: {
  view: AttemptsView
  attempt: Attempt
  isChosen: boolean
  onPick: (sessionId: string) => void
}) {
  const w = screenWords.value.attempts
  const { session_id: id } = attempt
  return (
    <span class='attempts-name'>
      <button type='button' class='attempts-pick' aria-pressed={isChosen} onClick={() => onPick(id)}><bdi>{nameOf(view, attempt)}</bdi></button>
      {view.taken_session_id === id ? <Badge kind='good'>{w.isTaken}</Badge> : null}
      {view.best_session_id === id && view.taken_session_id !== id ? <Badge kind='accent'>{w.best}</Badge> : null}
    </span>
  )
}

const nameOf = ({ sessions }: AttemptsView, attempt: Attempt): string =>
  screenWords.value.attempts.name(sessions.findIndex(({ session_id: id }) => id === attempt.session_id) + 1, attempt.model)
