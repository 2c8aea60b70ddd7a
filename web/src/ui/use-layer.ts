import { useLayoutEffect, useRef } from 'preact/hooks'
import { layers, type LayerEnd, type LayerOptions } from '../core/screen/layers.js'

/** While `open`, this is a layer: Back and Escape call `onClose`. Closing it by other means is setting `open` to false. */
export function useLayer (open: boolean, onClose: (end: LayerEnd) => void, { entry = true }: LayerOptions = {}): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => open ? layers().add((end) => latest.current(end), { entry }) : undefined, [open, entry])
}
