import { isPhone } from '../ui/screen.js'
import { drawer } from './drawer.js'

/** How close to the edge a swipe must start, and how far it must move. */
const edgePx = 24
const wayPx = 48

/** Opens the list of chats on a phone when a finger swipes in from the start edge. Called once. */
export function listenToSwipes (): void {
  let from: { x: number, y: number } | null = null
  const inward = (x: number): number => document.dir === 'rtl' ? innerWidth - x : x
  addEventListener('touchstart', ({ touches }) => {
    const [touch] = touches
    const isAtEdge = touches.length === 1 && touch !== undefined && inward(touch.clientX) <= edgePx
    from = isPhone.peek() && isAtEdge && document.querySelector('dialog[open]') === null
      ? { x: inward(touch.clientX), y: touch.clientY }
      : null
  }, { passive: true })
  addEventListener('touchmove', ({ touches }) => {
    const [touch] = touches
    if (from === null || touch === undefined) return
    const [along, across] = [inward(touch.clientX) - from.x, Math.abs(touch.clientY - from.y)]
    // This movement is scrolling.
    if (across > wayPx / 2 && across > along) from = null
    else if (along >= wayPx) {
      from = null
      drawer.value = true
    }
  }, { passive: true })
}
