import { type HTMLAttributes } from 'preact'
import { navigate } from 'wouter-preact/use-browser-location'

interface LinkProps extends HTMLAttributes<HTMLAnchorElement> {
  href: string
  onClick?: (event: MouseEvent) => void
}

/**
 * A link to a place in the app. Unlike the router's own it does not listen to the address, which would redraw every link of the window
 * whenever the person goes somewhere.
 */
export function Link ({ href, onClick, ...attributes }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return
    onClick?.(event)
    if (event.defaultPrevented) return
    event.preventDefault()
    navigate(href)
  }
  return <a {...attributes} href={href} onClick={follow} />
}
