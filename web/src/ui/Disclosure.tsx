import { createContext, type ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Icon } from './Icon.js'
import { ChevronRight } from './icons.js'
import './tabs.css'

export interface DisclosureProps {
  /** The line that opens it. */
  summary: ComponentChildren
  /** Given, the owner says whether it is open; without, it knows by itself. */
  open?: boolean
  onToggle?: (open: boolean) => void
  /** What it is called among those that are remembered: drawn anew, it is as it was left. */
  name?: string
  class?: string
  /** Drawn only once it has been open. */
  children?: ComponentChildren | (() => ComponentChildren)
}

/** Names of those that are open, for what is taken out of the page and put back while somebody reads. */
export const Remembered = createContext<Set<string> | null>(null)

/** Whether the one of this name begins open: for an owner that shows something else beside one that is closed. */
export function useBeginsOpen (name: string | undefined): boolean {
  const remembered = useContext(Remembered)
  return name !== undefined && remembered?.has(name) === true
}

/** One line that opens. */
export function Disclosure ({ summary, open, onToggle, name, class: className, children }: DisclosureProps) {
  const remembered = useContext(Remembered)
  const beginsOpen = useBeginsOpen(name)
  const [own, setOwn] = useState(open ?? beginsOpen)
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
