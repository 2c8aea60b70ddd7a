import { Unreadable } from './unreadable.js'
import { decoded } from './xml-text.js'

const mostSlides = 500

export interface Presentation { slides: string[], isTruncated: boolean }

/** Returns the text of each slide, in the order in which they are shown, with one line per paragraph. Throws Unreadable. */
export function pptxSlides (parts: Map<string, Buffer>): Presentation {
  const order = slideOrder(parts)
  if (order.length === 0 && !parts.has('ppt/presentation.xml')) throw new Unreadable('The document is damaged, or not what its name says')
  return {
    slides: order.slice(0, mostSlides).map((name) => slideText(parts.get(name)?.toString() ?? '')),
    isTruncated: order.length > mostSlides
  }
}

export function slidesAsText (slides: string[]): string {
  return slides.map((text, index) => `# Slide ${index + 1}${text === '' ? '' : `\n${text}`}`).join('\n\n')
}

/** Returns the names of the slides in the presentation's order, or by their numbers if it lists none. */
function slideOrder (parts: Map<string, Buffer>): string[] {
  const targets = new Map<string, string>()
  for (const [relation] of (parts.get('ppt/_rels/presentation.xml.rels')?.toString() ?? '').matchAll(/<Relationship\s[^>]*>/g)) {
    const id = attribute(relation, 'Id')
    const target = attribute(relation, 'Target')
    if (id !== null && target !== null) targets.set(id, target.startsWith('/') ? target.slice(1) : `ppt/${target}`)
  }
  const listed = [...(parts.get('ppt/presentation.xml')?.toString() ?? '').matchAll(/<p:sldId\s[^>]*>/g)]
    .map(([slide]) => targets.get(attribute(slide, 'r:id') ?? '') ?? '').filter((name) => parts.has(name))
  if (listed.length > 0) return listed
  const numbered = [...parts.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name))
  return numbered.sort((one, other) => Number(/\d+/.exec(one)) - Number(/\d+/.exec(other)))
}

function attribute (tag: string, name: string): string | null {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? null
}

function slideText (xml: string): string {
  const paragraphs = xml.split('</a:p>').slice(0, -1)
  return paragraphs.map((paragraph) =>
    [...paragraph.matchAll(/<a:t(?:\s[^>]*)?>([^<]*)<\/a:t>|<a:br\b/g)].map(([, run]) => run === undefined ? '\n' : decoded(run)).join(''))
    .filter((text) => text.trim() !== '').join('\n')
}
