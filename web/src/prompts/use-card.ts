import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { prompts } from '../app.js'
import { isOffered, type Waiting } from '../core/conversation/prompts.js'
import { announce } from '../ui/Announcer.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { answeredLast, type AnsweredCard } from './answered.js'
import { createAnswering, type Answering } from './answering.js'
import { CardKeys, guardMs } from './card-keys.js'
import { clockOf, countDown } from './countdown.js'
import { sayWaiting } from './say.js'

export interface Card {
  answering: Answering
  element: { current: HTMLElement | null }
  box: { current: HTMLElement | null }
  isGuarded: Signal<boolean>
  /** The remaining time, such as `1:05`; null without a limit. */
  clock: Signal<string | null>
  onKeyDown: (event: KeyboardEvent) => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}

export interface CardOptions {
  /** Whether the card may take the focus when it appears. */
  takesFocus: boolean
  /** Whether the card is announced when it appears. */
  isAnnounced: boolean
  /** The number of cards in its list: when one disappears, the others move under the pointer. */
  among?: number
}

/** The behaviour of a card: its answer, its clock, its keys and its focus. */
export function useCard (waiting: Waiting, { takesFocus, isAnnounced, among = 1 }: CardOptions): Card {
  const answering = useMemo(() =>
    createAnswering(prompts, waiting, () => toast(words.value.asking.late, { about: 'prompt' })), [waiting.id])
  const element = useRef<HTMLElement | null>(null)
  const box = useRef<HTMLElement | null>(null)
  /** The element that had the focus before: it receives what is typed, and the focus at the end. */
  const before = useRef<HTMLElement | null>(null)
  const isGuarded = useSignal(true)
  const clock = useSignal<string | null>(null)
  const keys = useMemo(() => new CardKeys({
    isOffered: (choice) => waiting.kind === 'approval' && isOffered(waiting.prompt, choice),
    onChoice: (choice) => { void answering.send(choice) },
    nowMs: () => performance.now(),
    later: (call, delayMs) => { const timer = setTimeout(call, delayMs); return () => clearTimeout(timer) }
  }), [waiting.id])

  useLayoutEffect(() => {
    const card = element.current
    if (takesFocus && card !== null && !isTyping()) {
      before.current = document.activeElement instanceof HTMLElement && document.activeElement !== document.body
        ? document.activeElement
        : null
      card.focus({ preventScroll: true })
    }
    return () => {
      keys.stop()
      const hadFocus = card?.contains(document.activeElement) === true
      const isGone = !prompts.waiting.peek().some(({ id }) => id === waiting.id)
      const answer = answering.outcome.peek() === 'late' ? null : answering.sent()
      if (isGone && answer !== null && isAnnounced) {
        answeredLast.value = { waiting, answer: saidOf(answer), heightPx: card?.offsetHeight ?? 0 }
      } else if (isGone && hadFocus && answering.outcome.peek() === null) {
        toast(screenWords.value.prompts.gone, { about: 'prompt' })
      }
      if (hadFocus && before.current?.isConnected === true) before.current.focus({ preventScroll: true })
    }
  }, [waiting.id])
  useLayoutEffect(() => {
    isGuarded.value = true
    const guard = setTimeout(() => { isGuarded.value = false }, guardMs)
    return () => clearTimeout(guard)
  }, [waiting.id, among])
  useEffect(() => { if (isAnnounced) announce(sayWaiting(waiting)) }, [waiting.id])
  useEffect(() => {
    if (waiting.expiresAtS === 0) return
    const { leftS, stop } = countDown(waiting.expiresAtS, (left) => announce(screenWords.value.prompts.lastCall(left)))
    const unsubscribe = leftS.subscribe((left) => { clock.value = clockOf(left) })
    return () => { unsubscribe(); stop() }
  }, [waiting.id])

  return {
    answering, element, box, isGuarded, clock,
    onFocus: (event) => { if (event.target === element.current) keys.focused() },
    onBlur: () => keys.stop(),
    onKeyDown: (event) => {
      // On a button, Enter belongs to the button.
      if (event.target !== element.current) return
      if (waiting.kind === 'question') return startWriting(event, box.current, takesFocus)
      const taken = keys.down(event)
      if (taken === 'taken') {
        event.preventDefault()
        event.stopPropagation()
      } else if (taken === 'typing') before.current?.focus()
    }
  }
}

function saidOf (answer: NonNullable<ReturnType<Answering['sent']>>): AnsweredCard['answer'] {
  if (typeof answer === 'string') return { choice: answer }
  if ('decline' in answer) return { choice: 'deny' }
  return { text: typeof answer.response === 'string' ? answer.response : null }
}

/** Moves from a question to its answer on Enter and, with `byLetters`, on a letter. */
function startWriting (event: KeyboardEvent, box: HTMLElement | null, byLetters: boolean): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  if (event.key === 'Enter') event.preventDefault()
  if (event.key === 'Enter' || (byLetters && [...event.key].length === 1)) box?.focus()
}

/** Whether the focus is in a field with text, or in a layer over the page. */
function isTyping (): boolean {
  const active = document.activeElement
  if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) return active.value !== ''
  return active instanceof HTMLSelectElement || (active instanceof HTMLElement && active.isContentEditable) ||
    active?.closest('dialog, [popover]') != null
}
