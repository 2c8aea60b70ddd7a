import { type RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Lets a sheet be pulled down by elements with `data-grip`; if it is pulled far or fast enough, `onAway` is called. */
export function useSwipeDown (sheet: RefObject<HTMLElement>, active: boolean, onAway: () => void): void {
  const latest = useRef(onAway)
  latest.current = onAway
  useLayoutEffect(() => {
    const element = sheet.current
    if (!active || element === null) return
    const stop = new AbortController()
    import('./pull-down.js').then(({ pullDown }) => pullDown(element, stop.signal, () => latest.current())).catch(console.warn)
    return () => stop.abort()
  }, [active, sheet])
}
