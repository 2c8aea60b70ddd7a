import { type VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface FormulaProps {
  tex: string
  display: boolean
  /** The formula as written, shown if it cannot be typeset. */
  source: string
}

let set: ((tex: string, display: boolean) => VNode | null) | null = null

/** Shows a formula. The typesetter is loaded with the first one. */
export function Formula ({ tex, display, source }: FormulaProps): VNode {
  const [isComing, setComing] = useState(set === null)
  useEffect(() => {
    if (set !== null) return
    let gone = false
    import('./math.js').then((math) => {
      set = math.setFormula
      // Without the typesetter, the source is shown; the next formula tries again.
    }, () => {}).finally(() => { if (!gone) setComing(false) })
    return () => { gone = true }
  }, [])
  const formula = set?.(tex, display) ?? <code class={isComing ? 'markdown-formula-coming' : undefined}>{source.trim()}</code>
  return display ? <div class='markdown-formula' tabIndex={0}>{formula}</div> : <>{formula}</>
}
