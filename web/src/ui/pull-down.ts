const awayShare = 0.3
const awayPixelsPerMs = 0.6

/** Pulls an element down by its transform only, without redrawing, so that it follows the finger. */
export function pullDown (element: HTMLElement, signal: AbortSignal, onAway: () => void): void {
  let from: { id: number, y: number, at: number } | null = null
  const listen = (type: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', listener: (event: PointerEvent) => void) => {
    element.addEventListener(type, listener, { signal })
  }
  listen('pointerdown', (event) => {
    if (!(event.target instanceof Element) || event.target.closest('[data-grip]') === null ||
      event.target.closest('button, a, input') !== null) return
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
    const away = event.type === 'pointerup' &&
      (moved > element.clientHeight * awayShare || moved / Math.max(1, event.timeStamp - from.at) > awayPixelsPerMs)
    from = null
    element.style.transition = ''
    element.style.transform = ''
    if (away) onAway()
  }
  listen('pointerup', end)
  listen('pointercancel', end)
}
