import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' }

/** The elements of a 24 by 24 drawing, with their attributes. Strokes are set on the svg element. */
export type LucideIcon = ReadonlyArray<readonly [tag: string, attributes: Readonly<Record<string, string>>]>

/** The stroke attributes that all icons share. */
const strokes = new Set(['fill="none"', 'stroke="currentColor"', 'stroke-linecap="round"', 'stroke-linejoin="round"', 'stroke-width="2"'])

/** Returns the icon of this name at lucide.dev. */
export function icon (name: keyof typeof lucide.icons): LucideIcon {
  // oxlint-disable-next-line regexp/no-super-linear-backtracking -- the package's own text
  return [...lucide.icons[name].body.matchAll(/<(?!g\b)(\w+)([^>]*?)\/?>/g)].map(([, tag = '', written = '']) => {
    const attributes = [...written.matchAll(/([\w-]+)="([^"]*)"/g)].filter(([whole]) => !strokes.has(whole))
    return [tag, Object.fromEntries(attributes.map(([, key = '', value = '']) => [key, value]))]
  })
}
