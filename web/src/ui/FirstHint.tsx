import { useEffect, useState } from 'preact/hooks'
import { lazy } from './lazy.js'

const Hints = lazy(async () => (await import('./Hints.js')).Hints, { waiting: null, missing: () => null, isBrief: true })

/** Loads the code for hints with the first one: touch screens never need it. */
export function FirstHint () {
  const [first, setFirst] = useState<Element | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const hear = (target: EventTarget | null): void => {
      if (!(target instanceof Element) || target.closest('[data-hint]') === null) return
      setFirst(target)
      stop.abort()
    }
    const options = { signal: stop.signal, capture: true, passive: true }
    document.addEventListener('pointerover', ({ pointerType, target }) => { if (pointerType === 'mouse') hear(target) }, options)
    document.addEventListener(
      'focusin', ({ target }) => { if (target instanceof Element && target.matches(':focus-visible')) hear(target) },
      options
    )
    return () => stop.abort()
  }, [])
  return first === null ? null : <Hints first={first} />
}
