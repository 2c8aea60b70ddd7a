import { type ComponentChildren, type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { placeBeside } from './place-beside.js'
import { useLayer } from './use-layer.js'
import './menu.css'

/** The place beside which a popover opens: an element, or a point of the window, such as of a right click or a long press. */
export type Anchor = RefObject<HTMLElement> | { x: number, y: number }

export interface PopoverProps {
  anchor: Anchor
  align?: 'start' | 'end'
  onClose: () => void
  class?: string
  children: ComponentChildren
}

/** A small layer beside its anchor. Back, Escape, a press outside of it and its anchor, and a turn of the wheel outside of it close it. */
export function Popover ({ anchor, align = 'end', onClose, class: className, children }: PopoverProps) {
  const popup = useRef<HTMLDivElement>(null)
  useLayer(onClose, { entry: false })
  useLayoutEffect(() => {
    const element = popup.current
    const box = 'x' in anchor
      ? { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y }
      : anchor.current?.getBoundingClientRect()
    if (element === null || box === undefined) return
    // Browsers without `showPopover` still draw it in its fixed place, above the page.
    element.showPopover?.()
    const place = (): void => {
      element.style.maxHeight = ''
      const { left, top, maxHeight } = placeBeside(
        box, { width: element.offsetWidth, height: element.offsetHeight }, { width: innerWidth, height: innerHeight }, align
      )
      Object.assign(element.style, { left: `${left}px`, top: `${top}px`, maxHeight: `${maxHeight}px` })
    }
    place()
    // Its content may be loaded later.
    const sizes = new ResizeObserver(place)
    for (const child of element.children) sizes.observe(child)
    return () => sizes.disconnect()
  }, [])
  useEffect(() => {
    const stop = new AbortController()
    const opener = 'x' in anchor ? null : anchor.current
    const options = { signal: stop.signal, capture: true, passive: true }
    const isIn = (element: HTMLElement | null, { target }: Event) => target instanceof Node && element?.contains(target) === true
    // The opener toggles the popover itself: if it were closed here first, the click would open it again.
    document.addEventListener('pointerdown', (event) => { if (!isIn(popup.current, event) && !isIn(opener, event)) onClose() }, options)
    // Only a person's scrolling: an answer that grows scrolls the chat as well.
    document.addEventListener('wheel', (event) => { if (!isIn(popup.current, event)) onClose() }, options)
    window.addEventListener('resize', onClose, options)
    return () => stop.abort()
  }, [])
  return <div ref={popup} popover='manual' class={['menu-popup', className].filter(Boolean).join(' ')}>{children}</div>
}
