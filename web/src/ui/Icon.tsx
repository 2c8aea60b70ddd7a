import { type LucideIcon } from 'lucide-preact'

export interface IconProps {
  /** One of lucide-preact, imported by its name: `import { Copy } from 'lucide-preact'`. */
  of: LucideIcon
  /** In pixels. */
  size?: number
  /** What it says where no text beside it does. Without, it is an ornament. */
  label?: string
  class?: string
}

/** The one way icons are drawn: thin strokes, in the colour of the text. */
export function Icon ({ of: Glyph, size = 16, label, class: className }: IconProps) {
  const said = label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label }
  // What the package itself draws scales the strokes with the icon; these stay as thin as the letters.
  return <Glyph size={size} strokeWidth={1.5} absoluteStrokeWidth class={className} {...said} />
}
