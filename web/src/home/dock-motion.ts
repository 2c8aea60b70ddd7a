import { type RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const dockMs = 220
const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** Moves the composer from the middle of the page to its dock, and back, when the page around it changes. */
export function useDockMotion (page: RefObject<HTMLElement>, isStart: boolean): void {
  const composer = (): HTMLElement | null => page.current?.querySelector<HTMLElement>('.composer') ?? null
  const was = useRef(isStart)
  // During rendering, the page still has its previous layout.
  const from = was.current === isStart ? undefined : composer()?.getBoundingClientRect().top
  useLayoutEffect(() => {
    was.current = isStart
    const element = composer()
    if (from === undefined || element === null || isStill()) return
    const way = from - element.getBoundingClientRect().top
    element.animate([{ transform: `translateY(${way}px)` }, { transform: 'none' }], { duration: dockMs, easing: 'cubic-bezier(.2, 0, 0, 1)' })
  }, [isStart])
}
