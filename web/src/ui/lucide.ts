import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' }

/** The elements of a drawing of 24 by 24, each with its attributes. Strokes are as the svg element around them says. */
export type LucideIcon = ReadonlyArray<readonly [tag: string, attributes: Readonly<Record<string, string>>]>

/** What every icon of the set says of its strokes. */
const strokes = new Set(['fill="none"', 'stroke="currentColor"', 'stroke-linecap="round"', 'stroke-linejoin="round"', 'stroke-width="2"'])

/** The icon that lucide.dev shows under this name. */
export function icon (name: keyof typeof lucide.icons): LucideIcon {
  return [...lucide.icons[name].body.matchAll(/<(?!g\b)(\w+)([^>]*?)\/?>/g)].map(([, tag = '', written = '']) => {
    const attributes = [...written.matchAll(/([\w-]+)="([^"]*)"/g)].filter(([whole]) => !strokes.has(whole))
    return [tag, Object.fromEntries(attributes.map(([, key = '', value = '']) => [key, value]))]
  })
}
