import { words } from '../words/index.js'
import './button.css'

/** Something is under way. `label` is for screen readers; without one it says "Working". */
export function Spinner ({ size = 16, label }: { size?: number, label?: string }) {
  return (
    <span
      class='spinner' role='img' aria-label={label ?? words.value.ui.working}
      style={{ inlineSize: `${size}px`, blockSize: `${size}px` }}
    />
  )
}
