/** A rectangle in pixels of the window. */
export interface Box { left: number, top: number, right: number, bottom: number }

const gap = 4
const margin = 8

/** Places a box beside its anchor: below if it fits, else above, along the anchor's edge, and inside the window. */
export function placeBeside (
  anchor: Box, size: { width: number, height: number }, window: { width: number, height: number }, align: 'start' | 'end'
): { left: number, top: number, maxHeight: number } {
  const below = window.height - anchor.bottom - gap - margin
  const above = anchor.top - gap - margin
  const under = size.height <= below || below >= above
  const maxHeight = Math.max(80, under ? below : above)
  const height = Math.min(size.height, maxHeight)
  const left = align === 'start' ? anchor.left : anchor.right - size.width
  return {
    left: Math.max(margin, Math.min(left, window.width - size.width - margin)),
    top: under ? anchor.bottom + gap : Math.max(margin, anchor.top - gap - height),
    maxHeight
  }
}
