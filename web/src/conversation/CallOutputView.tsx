import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { memo } from 'preact/compat'
import { type CallOutput } from '../core/turn/call-output.js'
import { Following } from '../core/screen/following.js'
import { type Line } from '../core/screen/terminal-text.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { useTerminal } from './use-terminal.js'
import './call-output.css'

/** How many of the last lines are shown at first, in full view and in brief. */
const linesAtFirst = 300
const linesAtAGlance = 6
const moreLines = 1_000

export interface CallOutputProps {
  output: CallOutput
  /** Shows only the last lines, which expand to all. */
  isBrief?: boolean
  /** Its label, if it is not the output of a running call. */
  label?: string
}

/** Shows the output of a call as a terminal would. It stays at the end until the reader scrolls up. */
export function CallOutputView ({ output, isBrief = false, label }: CallOutputProps) {
  const w = screenWords.value.output
  const [isOpen, setOpen] = useState(!isBrief)
  const [most, setMost] = useState(linesAtFirst)
  const { head, tail } = useTerminal(output)
  const shown = lastOf(head, tail, isOpen ? most : linesAtAGlance)
  const view = useRef<HTMLPreElement>(null)
  const following = useMemo(() => new Following(() => view.current), [])
  useLayoutEffect(() => following.grown())
  const isLonger = shown.hidden > 0
  return (
    <section class='call-output' aria-label={label ?? w.name}>
      {isOpen && isLonger ? <Button size='small' kind='quiet' onClick={() => setMost(most + moreLines)}>{w.earlierLines}</Button> : null}
      <pre
        ref={view}
        class={isOpen ? 'call-text call-output-text' : 'call-text call-output-text call-output-last'}
        tabIndex={isOpen ? 0 : undefined}
        onScroll={() => following.scrolled()}
        onWheel={(event) => {
          if (isOpen) event.stopPropagation()
          following.moved(event.deltaY < 0 ? 'back' : 'on')
        }}
        onTouchMove={() => following.moved('unknown')}
        onPointerDown={() => following.moved('unknown')}
        onPointerUp={() => following.rested()}
        onKeyDown={() => following.moved('unknown')}
      >
        {shown.head.map((line) => <LineView key={line.key} line={line} />)}
        {output.leftOutBytes > 0 && (shown.head.length > 0 || !isLonger)
          ? <span class='call-output-gap'>{w.leftOut(output.leftOutBytes)}{'\n'}</span>
          : null}
        {shown.tail.map((line) => <LineView key={`tail ${line.key}`} line={line} />)}
      </pre>
      {isBrief && (isOpen || isLonger)
        ? (
          <Button size='small' kind='quiet' aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? w.lastLines : w.allOutput}
          </Button>
          )
        : null}
    </section>
  )
}

const LineView = memo(function LineView ({ line }: { line: Line }) {
  return <span>{line.runs.map(({ text, look }, index) => look === '' ? text : <span key={index} class={look}>{text}</span>)}{'\n'}</span>
})

/** Returns the last lines of both parts, `most` in all. */
function lastOf (
  head: readonly Line[], tail: readonly Line[], most: number
): { head: readonly Line[], tail: readonly Line[], hidden: number } {
  const fromTail = tail.slice(-most)
  const left = most - fromTail.length
  const fromHead = left === 0 ? [] : head.slice(-left)
  return { head: fromHead, tail: fromTail, hidden: head.length + tail.length - fromHead.length - fromTail.length }
}
