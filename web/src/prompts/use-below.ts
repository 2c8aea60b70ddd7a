import { type RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Returns about how many lines are below the visible part of an area; 0 at its end. */
export function useBelow (area: RefObject<HTMLElement>): number {
  const [lines, setLines] = useState(0)
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    const measure = (): void => {
      const below = element.scrollHeight - element.clientHeight - element.scrollTop
      setLines(below < 2 ? 0 : Math.max(1, Math.round(below / (parseFloat(getComputedStyle(element).lineHeight) || 20))))
    }
    const sizes = new ResizeObserver(measure)
    for (const one of [element, ...element.children]) sizes.observe(one)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])
  return lines
}
