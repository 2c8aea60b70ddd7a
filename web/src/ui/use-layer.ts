import { useLayoutEffect, useRef } from 'preact/hooks'
import { layers, type LayerEnd, type LayerOptions } from '../core/screen/layers.js'

/** Registers a layer while its component is drawn: Back and Escape call `onClose`. */
export function useLayer (onClose: (end: LayerEnd) => void, { entry = true }: LayerOptions = {}): void {
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => layers().add((end) => latest.current(end), { entry }), [entry])
}
