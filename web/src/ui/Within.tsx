import { render, type ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'

/** Draws its children at the end of an element that another component draws. */
export function Within ({ element, children }: { element: Element, children: ComponentChildren }) {
  const host = useMemo(() => document.createElement('div'), [])
  useLayoutEffect(() => {
    host.style.display = 'contents'
    element.append(host)
    return () => {
      render(null, host)
      host.remove()
    }
  }, [element])
  useLayoutEffect(() => render(<>{children}</>, host))
  return null
}
