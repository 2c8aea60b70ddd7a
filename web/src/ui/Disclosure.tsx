import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ChevronRight } from 'lucide-preact'
import { Icon } from './Icon.js'
import './tabs.css'

export interface DisclosureProps {
  /** The line that opens it. */
  summary: ComponentChildren
  /** Given, the owner says whether it is open; without, it knows by itself. */
  open?: boolean
  onToggle?: (open: boolean) => void
  class?: string
  /** Drawn only once it has been open. */
  children?: ComponentChildren | (() => ComponentChildren)
}

/** One line that opens. */
export function Disclosure ({ summary, open, onToggle, class: className, children }: DisclosureProps) {
  const [own, setOwn] = useState(open ?? false)
  const [drawn, setDrawn] = useState(open ?? false)
  const shown = open ?? own
  if (shown && !drawn) setDrawn(true)
  return (
    <details
      open={shown} class={['disclosure', className].filter(Boolean).join(' ')}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open === shown) return
        setOwn(currentTarget.open)
        onToggle?.(currentTarget.open)
      }}
    >
      <summary><Icon of={ChevronRight} size={14} />{summary}</summary>
      {(shown || drawn) && (typeof children === 'function' ? children() : children)}
    </details>
  )
}
