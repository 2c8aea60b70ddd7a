import { useLayoutEffect, useRef } from 'preact/hooks'
import { layers, type LayerEnd, type LayerOptions } from '../core/screen/layers.js'

/** Registers a layer while `open`: Back and Escape call `onClose`. Set `open` to false to close it by other means. */
export function useLayer (open: boolean, onClose: (end: LayerEnd) => void, { entry = true }: LayerOptions = {}): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => open ? layers().add((end) => latest.current(end), { entry }) : undefined, [open, entry])
}
