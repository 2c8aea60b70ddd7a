import { type ReadonlySignal } from '@preact/signals'

/** Shows the current loudness. */
export function Level ({ level }: { level: ReadonlySignal<number> }) {
  return <span class='voice-level' aria-hidden><span style={{ inlineSize: `${Math.round(level.value * 100)}%` }} /></span>
}
