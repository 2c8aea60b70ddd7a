import { type RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { type Signal } from '@preact/signals'
import { inType, inTypePx } from './screen.js'
import { words } from '../words/index.js'
import './splitter.css'

export interface SplitterProps {
  /** The panel's width in pixels at the default type size (`inType`; see `remembered`). Written on release and on every key press. */
  width: Signal<number>
  min: number
  /** Called during each drag, because the size of the window may change. */
  max: () => number
  /** On which side of the splitter the panel is. */
  panel: 'before' | 'after'
  /** Resized directly during a drag, so that nothing else is redrawn. */
  panelRef: RefObject<HTMLElement>
  /** The width after a double click. */
  usual: number
  label?: string
}

const step = 16

/** The edge of a panel: drag it, move it with the arrow keys, Home and End, or double-click it for the default width. */
export function Splitter ({ width, min, max, panel, panelRef, usual, label }: SplitterProps) {
  const drag = useRef<{ id: number, x: number, width: number } | null>(null)
  const within = (wanted: number) => Math.round(Math.max(min, Math.min(wanted, max())))
  // Whether moving to the right makes the panel wider.
  const grows = (element: Element) => (panel === 'before') === (getComputedStyle(element).direction === 'ltr') ? 1 : -1
  /** Returns the width at the pointer; null for a pointer that is not the dragging one. */
  const widthAt = ({ pointerId, clientX, currentTarget }: PointerEvent & { currentTarget: HTMLElement }): number | null =>
    drag.current?.id === pointerId ? within(drag.current.width + (clientX - drag.current.x) / inTypePx(1) * grows(currentTarget)) : null
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const grow = grows(event.currentTarget)
    const wanted = { ArrowRight: width.value + step * grow, ArrowLeft: width.value - step * grow, Home: min, End: Infinity }[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    width.value = within(wanted)
  }
  const end = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const wanted = widthAt(event)
    if (wanted === null) return
    width.value = wanted
    drag.current = null
  }
  return (
    <div
      role='separator' aria-orientation='vertical' aria-label={label ?? words.value.ui.resize}
      aria-valuenow={width.value} aria-valuemin={min} aria-valuemax={within(Infinity)} tabIndex={0} class='splitter'
      onKeyDown={onKeyDown}
      onDblClick={() => {
        width.value = within(usual)
      }}
      onPointerUp={end} onPointerCancel={end}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        drag.current = { id: event.pointerId, x: event.clientX, width: width.value }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        const wanted = widthAt(event)
        if (wanted !== null && panelRef.current !== null) panelRef.current.style.inlineSize = inType(wanted)
      }}
    />
  )
}
