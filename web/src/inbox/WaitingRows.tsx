import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { prompts } from '../app.js'
import { sayParked } from '../away/say.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { undecided, type Undecided } from '../home/store.js'
import { guardMs } from '../prompts/card-keys.js'
import { countLines, subjectOf } from '../prompts/describe.js'
import { headOf, lineOf } from '../prompts/say.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { times } from '../words/times.js'
import '../home/rows.css'
import './waiting-rows.css'

/**
 * Lists what waits, one row each: a question is answered here if one tap is enough, everything else in its chat. Turns that wait for a
 * decision come first.
 */
export function WaitingRows ({ waiting, title }: { waiting: readonly Waiting[], title: string }) {
  const isGuarded = useSignal(true)
  // When a row disappears, the others move under the pointer.
  useLayoutEffect(() => {
    isGuarded.value = true
    const timer = setTimeout(() => { isGuarded.value = false }, guardMs)
    return () => clearTimeout(timer)
  }, [waiting.map(({ id }) => id).join()])
  return (
    <section class='start-section' aria-label={title}>
      <header class='start-section-head'><h2>{title}</h2></header>
      <ul class='waiting-rows'>
        {undecided.value.map((turn) => <UndecidedRow key={turn.id} turn={turn} />)}
        {waiting.map((one) => <WaitingRow key={one.id} waiting={one} isGuarded={isGuarded.value} />)}
      </ul>
    </section>
  )
}

/** A turn at a limit: what happened, and a link to the chat, where the person decides. */
function UndecidedRow ({ turn: { session_id: id, title, since, parked } }: { turn: Undecided }) {
  return (
    <li class='waiting-row'>
      <span class='waiting-mark' aria-hidden='true' />
      <Link href={places.session(id)} class='waiting-text'>
        <span class='waiting-title'>
          <bdi>{chatTitle(title)}</bdi>
          <span class='waiting-time' title={times.full(since)}>{times.at(since)}</span>
        </span>
        {parked === undefined ? null : <span class='waiting-line'><bdi>{sayParked(parked)}</bdi></span>}
      </Link>
      <span class='waiting-answers'>
        <Link href={places.session(id)} class='button button-plain'>{words.value.away.decide}</Link>
      </span>
    </li>
  )
}

function WaitingRow ({ waiting, isGuarded }: { waiting: Waiting, isGuarded: boolean }) {
  const w = words.value.homeRows
  const diff = waiting.kind === 'approval' ? waiting.prompt.diff : undefined
  const counts = diff === undefined ? null : countLines(diff)
  const choices = choicesOf(waiting)
  const isBusy = prompts.answering.value.has(waiting.id)
  const choose = async (response: string): Promise<void> => {
    if (waiting.kind !== 'question') return
    await attempt(async () => {
      if (await prompts.answer(waiting, { response }) === 'late') toast(words.value.asking.late, { about: 'prompt' })
    })
  }
  return (
    <li class='waiting-row'>
      <span class='waiting-mark' aria-hidden='true' />
      <Link href={places.session(waiting.sessionId)} class='waiting-text'>
        <span class='waiting-title'>
          <bdi>{chatTitle(waiting.sessionTitle)}</bdi>
          <span class='waiting-time' title={times.full(waiting.requestedAtS)}>{times.at(waiting.requestedAtS)}</span>
        </span>
        <span class='waiting-line'>
          <bdi>{headOf(waiting)}</bdi>
          {counts === null
            ? null
            : (
              <span class='waiting-counts'>
                {counts.added === 0 ? null : <> <span class='prompt-added'>+{counts.added}</span></>}
                {counts.removed === 0 ? null : <> <span class='prompt-removed'>−{counts.removed}</span></>}
              </span>)}
        </span>
        {waiting.kind === 'approval' && subjectOf(waiting.prompt).kind === 'command'
          ? <code class='waiting-line waiting-command'><bdi dir='ltr'>{lineOf(waiting)}</bdi></code>
          : null}
      </Link>
      <span class='waiting-answers'>
        {choices.length === 0
          ? <Link href={places.session(waiting.sessionId)} class='button button-plain'>{waiting.kind === 'approval' ? w.review : w.answer}</Link>
          : choices.map((choice) => (
            <Button key={choice} disabled={isGuarded || isBusy} onClick={() => { void choose(choice) }}><bdi>{choice}</bdi></Button>
          ))}
      </span>
    </li>
  )
}

/** Questions with more choices, or longer ones, are answered in the chat. */
const mostChoices = 4
const mostLetters = 48

/** Returns the answers that one tap gives; none if the question needs more. */
function choicesOf (waiting: Waiting): readonly string[] {
  if (waiting.kind !== 'question' || waiting.prompt.form !== undefined) return []
  const { choices_offered: choices } = waiting.prompt
  return choices.length <= mostChoices && choices.join('').length <= mostLetters ? choices : []
}
