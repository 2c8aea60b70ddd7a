import { words } from '../words/index.js'
import { inType } from './screen.js'
import './button.css'

/** Shows that something runs. `label` is for screen readers; "Working" by default. */
export function Spinner ({ size = 16, label }: { size?: number, label?: string }) {
  return (
    <span
      class='spinner' role='img' aria-label={label ?? words.value.ui.working}
      style={{ inlineSize: inType(size), blockSize: inType(size) }}
    />
  )
}
