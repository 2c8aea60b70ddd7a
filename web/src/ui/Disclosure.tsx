import { createContext, type ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Icon } from './Icon.js'
import { ChevronRight } from './icons.js'
import './tabs.css'

export interface DisclosureProps {
  /** The line that opens it. */
  summary: ComponentChildren
  /** Controlled by the owner if given; else it keeps its own state. */
  open?: boolean
  onToggle?: (open: boolean) => void
  /** Whether it is open at first, while it keeps its own state. */
  startsOpen?: boolean
  /** Its key in `Remembered`: when drawn again, it is open or closed as before. */
  name?: string
  class?: string
  /** A function is called only once it has been open. */
  children?: ComponentChildren | (() => ComponentChildren)
}

/** The keys of open disclosures, for content that is unmounted while it is scrolled out of view. */
export const Remembered = createContext<Set<string> | null>(null)

/** Returns whether the disclosure of this name starts open, for an owner that shows something else beside a closed one. */
export function useBeginsOpen (name: string | undefined): boolean {
  const remembered = useContext(Remembered)
  return name !== undefined && remembered?.has(name) === true
}

/** A line that expands. */
export function Disclosure ({ summary, open, onToggle, startsOpen = false, name, class: className, children }: DisclosureProps) {
  const remembered = useContext(Remembered)
  const beginsOpen = useBeginsOpen(name)
  const [own, setOwn] = useState(open ?? (startsOpen || beginsOpen))
  const [drawn, setDrawn] = useState(own)
  const shown = open ?? own
  if (shown && !drawn) setDrawn(true)
  return (
    <details
      open={shown} class={['disclosure', className].filter(Boolean).join(' ')}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open === shown) return
        setOwn(currentTarget.open)
        if (name !== undefined && currentTarget.open) remembered?.add(name)
        else if (name !== undefined) remembered?.delete(name)
        onToggle?.(currentTarget.open)
      }}
    >
      <summary><Icon of={ChevronRight} size={14} />{summary}</summary>
      {(shown || drawn) && (typeof children === 'function' ? children() : children)}
    </details>
  )
}
