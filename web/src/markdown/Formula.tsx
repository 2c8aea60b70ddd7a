import { type VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface FormulaProps {
  tex: string
  display: boolean
  /** As it was written: shown until it is set, and where it cannot be. */
  source: string
}

let set: ((tex: string, display: boolean) => VNode | null) | null = null

/** A formula. What sets it is loaded with the first one. */
export function Formula ({ tex, display, source }: FormulaProps): VNode {
  const [, setLoaded] = useState(set !== null)
  useEffect(() => {
    if (set !== null) return
    let gone = false
    import('./math.js').then((math) => {
      set = math.setFormula
      if (!gone) setLoaded(true)
      // Its source says the same, to whoever knows it; the next formula tries again.
    }, () => {})
    return () => { gone = true }
  }, [])
  const formula = set?.(tex, display) ?? <code>{source.trim()}</code>
  return display ? <div class='markdown-formula' tabIndex={0}>{formula}</div> : <>{formula}</>
}
