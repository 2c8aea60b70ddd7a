import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { placeBeside } from './place-beside.js'
import './marks.css'

const pauseMs = 450

/**
 * Shows an element's `data-hint` while a mouse points at it or the keyboard focuses it; once in the app. Screen readers ignore it, because
 * they have the element's name. `first` is the element that loaded this code.
 */
export function Hints ({ first }: { first: Element }) {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const tip = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    /** A pressed element shows no hint until the pointer has left it, because something may have opened beside it. */
    let pressed: Element | null = null
    const show = (target: EventTarget | null, afterMs: number) => {
      clearTimeout(timer)
      const hinted = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null
      if (hinted === null || hinted === pressed) return setElement(null)
      // The first element may have lost its hover or focus while this code was loaded. An open menu takes the place where the hint would
      // be.
      timer = setTimeout(() => setElement(hinted.matches(':is(:hover, :focus-within):not([aria-expanded=true])') ? hinted : null), afterMs)
    }
    const hide = () => show(null, 0)
    show(first, pauseMs)
    const options = { signal: stop.signal, capture: true, passive: true }
    document.addEventListener('pointerover', (event) => {
      if (event.pointerType !== 'mouse') return
      if (!(event.target instanceof Node && pressed?.contains(event.target) === true)) pressed = null
      show(event.target, pauseMs)
    }, options)
    document.addEventListener(
      'focusin',
      ({ target }) => { if (target instanceof Element && target.matches(':focus-visible')) show(target, pauseMs) },
      options
    )
    document.addEventListener('pointerdown', ({ target }) => {
      pressed = target instanceof Element ? target.closest('[data-hint]') : null
    }, options)
    for (const type of ['pointerdown', 'keydown', 'focusout', 'scroll', 'blur']) window.addEventListener(type, hide, options)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [])
  const text = element?.isConnected === true ? element.dataset.hint : undefined
  useLayoutEffect(() => {
    const shown = tip.current
    if (shown === null || element === null) return
    shown.showPopover?.()
    const { left, top } = placeBeside(
      element.getBoundingClientRect(), { width: shown.offsetWidth, height: shown.offsetHeight },
      { width: innerWidth, height: innerHeight }, 'start'
    )
    Object.assign(shown.style, { left: `${left}px`, top: `${top}px` })
  }, [element, text])
  return text === undefined || text === '' ? null : <div ref={tip} popover='manual' class='hint-tip' aria-hidden>{text}</div>
}
