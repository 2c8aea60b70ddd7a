import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../ui/Icon.js'
import { Check, X } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { type AnsweredCard } from './answered.js'
import { lineOf } from './say.js'
import './prompts.css'

const foldMs = 180

/** The line that a card collapses into when it is answered. */
export function AnsweredLine ({ card: { waiting, answer, heightPx } }: { card: AnsweredCard }) {
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    const { current: element } = line
    if (element === null || heightPx === 0 || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const folding = element.animate(
      [{ blockSize: `${heightPx}px`, opacity: 0 }, { blockSize: `${element.offsetHeight}px` }], { duration: foldMs, easing: 'cubic-bezier(.2, 0, 0, 1)' }
    )
    return () => folding.cancel()
  }, [waiting.id])
  const { answered: w } = screenWords.value.prompts
  const isDenied = 'choice' in answer && answer.choice === 'deny'
  return (
    <p class='prompt-answered' ref={line}>
      <Icon of={isDenied ? X : Check} size={14} />
      <span class='prompt-answered-text'>
        {'choice' in answer ? w[answer.choice] : answer.text === null ? w.form : w.text(answer.text)} · <bdi>{lineOf(waiting)}</bdi>
      </span>
    </p>
  )
}
