import { words } from '../words/index.js'
import { inType } from './screen.js'
import './marks.css'

export interface RingProps {
  /** From 0 to 1. */
  share: number
  /** In pixels at the default type size; it grows with larger type. */
  size?: number
  /** The name, if the ring does not show the used share of the context. */
  label?: string
}

const radius = 6.5
const around = 2 * Math.PI * radius

/** Shows how full something is. Nearly full is red; amber is reserved for things that wait. */
export function Ring ({ share, size = 16, label }: RingProps) {
  const filled = Math.min(1, Math.max(0, share))
  const kind = filled >= 0.9 ? 'bad' : 'accent'
  return (
    <svg
      class={`ring ring-${kind}`} width={inType(size)} height={inType(size)} viewBox='0 0 16 16' role='img'
      aria-label={label ?? words.value.ui.context(Math.round(filled * 100))}
    >
      <circle class='ring-ground' cx='8' cy='8' r={radius} />
      <circle class='ring-share' cx='8' cy='8' r={radius} stroke-dasharray={`${filled * around} ${around}`} transform='rotate(-90 8 8)' />
    </svg>
  )
}
