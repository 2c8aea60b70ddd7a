import { type RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const awayShare = 0.3
const awayPixelsPerMs = 0.6

/**
 * Lets a sheet be pulled down by whatever in it carries `data-grip`; far or fast enough, `onAway` is called. Only the sheet's own transform is
 * touched, outside of drawing, so that it follows the finger.
 */
export function useSwipeDown (sheet: RefObject<HTMLElement>, active: boolean, onAway: () => void): void {
  const latest = useRef(onAway)
  latest.current = onAway
  useLayoutEffect(() => {
    const element = sheet.current
    if (!active || element === null) return
    let from: { id: number, y: number, at: number } | null = null
    const stop = new AbortController()
    const listen = (type: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', listener: (event: PointerEvent) => void) => {
      element.addEventListener(type, listener, { signal: stop.signal })
    }
    listen('pointerdown', (event) => {
      if (!(event.target instanceof Element) || event.target.closest('[data-grip]') === null || event.target.closest('button, a, input') !== null) return
      from = { id: event.pointerId, y: event.clientY, at: event.timeStamp }
      element.setPointerCapture(event.pointerId)
      element.style.transition = 'none'
    })
    listen('pointermove', (event) => {
      if (from?.id === event.pointerId) element.style.transform = `translateY(${Math.max(0, event.clientY - from.y)}px)`
    })
    const end = (event: PointerEvent) => {
      if (from?.id !== event.pointerId) return
      const moved = event.clientY - from.y
      const away = event.type === 'pointerup' && (moved > element.clientHeight * awayShare || moved / Math.max(1, event.timeStamp - from.at) > awayPixelsPerMs)
      from = null
      element.style.transition = ''
      element.style.transform = ''
      if (away) latest.current()
    }
    listen('pointerup', end)
    listen('pointercancel', end)
    return () => stop.abort()
  }, [active, sheet])
}
