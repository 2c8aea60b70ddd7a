import { useSignal } from '@preact/signals'
import { type RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { quoteIntoBox } from '../composer/quoting.js'
import { Button } from '../ui/Button.js'
import { Kbd } from '../ui/Badge.js'
import { Quote } from '../ui/icons.js'
import { isTouch } from '../ui/screen.js'
import { words } from '../words/index.js'

/** How long a selection has to stay unchanged before the button appears. */
const restMs = 200
const roomPx = 44
const gapPx = 8

/** Offers to quote the selected text of an answer: a button beside the selection, and the key Q. */
export function Quoting ({ within }: { within: RefObject<HTMLElement> }) {
  const place = useSignal<{ left: number, top: number } | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      clearTimeout(timer)
      place.value = null
      // The selection is read only then: reading it lays the page out, and an answer that is being written scrolls with each line.
      timer = setTimeout(() => { place.value = placeOf(within.current) }, restMs)
    }
    const { signal } = stop
    document.addEventListener('selectionchange', look, { signal })
    within.current?.addEventListener('scroll', look, { signal, passive: true })
    return () => { stop.abort(); clearTimeout(timer) }
  }, [])
  if (place.value === null) return null
  return (
    <div
      class='quoting' style={{ left: `${place.value.left}px`, top: `${place.value.top}px` }}
      // Pressing the button must not clear the selection.
      onPointerDown={(event) => event.preventDefault()}
    >
      <Button icon={Quote} size='small' onClick={() => quoteSelection(within.current)}>
        {words.value.conversation.quote}<Kbd>Q</Kbd>
      </Button>
    </div>
  )
}

/** Quotes the selected text of an answer; does nothing without a selection. */
export function quoteSelection (transcript: HTMLElement | null): void {
  const selection = selectedIn(transcript)
  if (selection === null) return
  const text = selection.toString()
  selection.removeAllRanges()
  quoteIntoBox(text)
}

/** Returns the selection if it has text and lies entirely in answers. */
function selectedIn (transcript: HTMLElement | null): Selection | null {
  const selection = document.getSelection()
  if (transcript === null || selection === null || selection.isCollapsed || selection.toString().trim() === '') return null
  const isInAnswer = [selection.anchorNode, selection.focusNode].every((node) => {
    const element = node instanceof Element ? node : node?.parentElement
    return element != null && transcript.contains(element) && element.closest('.answer') !== null
  })
  return isInAnswer ? selection : null
}

/**
 * Returns the position of the button: above the selection with a mouse; below it with a finger, because the system's own menu is above.
 * Null if neither is in view.
 */
function placeOf (transcript: HTMLElement | null): { left: number, top: number } | null {
  const range = selectedIn(transcript)?.getRangeAt(0)
  const frame = transcript?.parentElement?.getBoundingClientRect()
  if (range === undefined || frame === undefined) return null
  const { left, top, bottom, width } = range.getBoundingClientRect()
  const [above, below] = [top - frame.top - roomPx, bottom - frame.top + gapPx]
  const wanted = isTouch.peek() || above < 0 ? below : above
  const isSeen = bottom > frame.top && top < frame.bottom
  return isSeen
    ? { left: Math.max(gapPx, Math.min(left - frame.left + width / 2, frame.width - gapPx)), top: Math.min(wanted, frame.height - roomPx) }
    : null
}
