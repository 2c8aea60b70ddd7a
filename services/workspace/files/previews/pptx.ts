import { wholeTo } from '../../../ground/text/whole-characters.js'
import { Unreadable } from './unreadable.js'
import { attributeOf, tokensOf } from './xml-text.js'

const mostSlides = 500
/** Most characters of all slides together: a presentation can list the same slide many times. */
const mostChars = 1_000_000

export interface Presentation { slides: string[], isTruncated: boolean }

/** Returns the text of each slide, in the order in which they are shown, with one line per paragraph. Throws Unreadable. */
export function pptxSlides (parts: Map<string, Buffer>): Presentation {
  const order = slideOrder(parts)
  if (order.length === 0 && !parts.has('ppt/presentation.xml')) throw new Unreadable('The document is damaged, or not what its name says')
  const texts = new Map<string, string>()
  const slides: string[] = []
  let chars = 0
  for (const name of order.slice(0, mostSlides)) {
    const text = texts.get(name) ?? slideText(parts.get(name)?.toString() ?? '', mostChars)
    texts.set(name, text)
    slides.push(wholeTo(text, mostChars - chars))
    if ((chars += text.length) > mostChars) return { slides, isTruncated: true }
  }
  return { slides, isTruncated: order.length > mostSlides }
}

export function slidesAsText (slides: string[]): string {
  return slides.map((text, index) => `# Slide ${index + 1}${text === '' ? '' : `\n${text}`}`).join('\n\n')
}

/** Returns the names of the slides in the presentation's order, or by their numbers if it lists none. */
function slideOrder (parts: Map<string, Buffer>): string[] {
  const targets = new Map<string, string>()
  for (const relation of tagsOf(parts.get('ppt/_rels/presentation.xml.rels'), 'Relationship')) {
    const id = attributeOf(relation, 'Id')
    const target = attributeOf(relation, 'Target')
    if (id !== null && target !== null) targets.set(id, target.startsWith('/') ? target.slice(1) : `ppt/${target}`)
  }
  const listed = [...tagsOf(parts.get('ppt/presentation.xml'), 'p:sldId')]
    .map((slide) => targets.get(attributeOf(slide, 'r:id') ?? '') ?? '').filter((name) => parts.has(name))
  if (listed.length > 0) return listed
  const numbered = [...parts.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name))
  return numbered.sort((one, other) => Number(/\d+/.exec(one)) - Number(/\d+/.exec(other)))
}

/** Yields the attributes of all tags of this name. */
function * tagsOf (part: Buffer | undefined, name: string): Generator<string> {
  for (const token of tokensOf(part?.toString() ?? '')) if (token.kind === 'open' && token.name === name) yield token.attributes
}

/** Returns the text of a slide; of a longer one, somewhat more than `most` characters. */
function slideText (xml: string, most: number): string {
  const lines: string[] = []
  let [line, chars, isRun] = ['', 0, false]
  for (const token of tokensOf(xml)) {
    if (token.kind === 'text') line += isRun && line.length <= most ? token.text : ''
    else if (token.name === 'a:t') isRun = token.kind === 'open' && !token.isEmpty
    else if (token.kind === 'open' && token.name === 'a:br') line += '\n'
    else if (token.kind === 'close' && token.name === 'a:p') {
      if (line.trim() !== '') lines.push(line)
      chars += line.length
      line = ''
      if (chars > most) break
    }
  }
  return lines.join('\n')
}
