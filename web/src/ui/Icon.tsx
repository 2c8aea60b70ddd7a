import { h } from 'preact'
import { type LucideIcon } from './lucide.js'
import { inType } from './screen.js'

export interface IconProps {
  /** One of `icons.ts`. */
  of: LucideIcon
  /** In pixels at the default type size; it grows with larger type. */
  size?: number
  /** Its name, if no text beside it gives it; without a name it is decoration. */
  label?: string
  class?: string
}

/** Draws an icon: thin strokes, in the colour of the text. */
export function Icon ({ of: elements, size = 16, label, class: className }: IconProps) {
  const said = label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label }
  return (
    <svg
      width={inType(size)} height={inType(size)} viewBox='0 0 24 24' fill='none' class={className} {...said}
      // Strokes would grow with the icon; these stay as thin as the letters.
      stroke='currentColor' stroke-width={1.6 * 24 / size} stroke-linecap='round' stroke-linejoin='round'
    >
      {elements.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  )
}
