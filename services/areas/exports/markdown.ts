import type MarkdownIt from 'markdown-it'
import { formulaAt, longestChars, type Formula } from '../../../formulas/read.js'
import { once } from '../../ground/concurrency/once.js'
import { loadFormulas } from './formula.js'
import { loadHighlight, withoutHighlight, type Highlight } from './highlight.js'
import { html, Markup } from './markup.js'
import { labelOf, takeFootnotes } from './footnotes.js'
import { slices } from './slices.js'

type Token = ReturnType<MarkdownIt['parse']>[number]
/** The state of one text: markdown-it keeps the link definitions of its earlier parts here. */
interface Environment {
  highlight: Highlight
  /** The text's footnotes, by label. */
  notes: ReadonlyMap<string, string>
  /** Footnotes that are referred to, with the number they received at the first reference. */
  numbers: Map<string, number>
  /** Distinguishes the footnotes of this text from those of other texts on the page. */
  prefix: string
}

/** Renders Markdown part by part; awaits `pace` between them. */
export type RenderMarkdown = (text: string) => Promise<Markup>

const maxNesting = 40
const linkable = /^(?:https?:\/\/|mailto:)/i
const maxImageChars = 8_000_000

/** Whether an address contains a raster image itself. Anything else would be fetched, or could hold a script. */
function isInlineImage (address: string): boolean {
  const start = /^data:image\/(?:png|jpeg|gif|webp);base64,/i.exec(address)?.[0]
  return start !== undefined && address.length <= maxImageChars && !/[^A-Za-z0-9+/=]/.test(address.slice(start.length))
}

const isLinkable = (address: string): boolean => linkable.test(address)

/** Creates a renderer for one page. */
export async function createMarkdown (pace: () => Promise<void>): Promise<RenderMarkdown> {
  const markdown = await parser()
  let highlight: Highlight | undefined
  let texts = 0
  return async (text) => {
    if (highlight === undefined && /```|~~~/.test(text)) highlight = await loadHighlight()
    const { slices: taken, notes } = takeFootnotes(slices(text))
    const environment: Environment = { highlight: highlight ?? withoutHighlight, notes, numbers: new Map(), prefix: `t${++texts}-` }
    const parts: Markup[] = []
    for (const slice of taken) {
      await pace()
      parts.push(slice.kind === 'code'
        ? codeBlock(slice.text, slice.info, environment.highlight)
        : await rendered(markdown, slice.text, environment, pace))
    }
    return html`${parts}${await footnotes(markdown, environment, pace)}`
  }
}

/** Renders the footnotes that are referred to, including those that only another footnote refers to. */
async function footnotes (markdown: MarkdownIt, environment: Environment, pace: () => Promise<void>): Promise<Markup | null> {
  const { notes, numbers, prefix } = environment
  const items: Markup[] = []
  // Iterating a map also covers entries that are added meanwhile.
  for (const [label, number] of numbers) {
    await pace()
    items.push(html`<li id="${prefix}note-${number}">${await rendered(markdown, notes.get(label) ?? '', environment, pace)}<a href="#${prefix}ref-${number}" aria-label="Back to the text">↩</a></li>`)
  }
  return items.length === 0 ? null : html`<section class="notes" aria-label="Footnotes"><ol>${items}</ol></section>`
}

/** Renders text in a box of its own, keeping every space and line break. The line break after the tag is not part of the text. */
export function preformatted (text: string): Markup {
  return html`<pre class="wrapped" tabindex="0" dir="auto">
${text}</pre>`
}

async function rendered (markdown: MarkdownIt, text: string, environment: Environment, pace: () => Promise<void>): Promise<Markup> {
  try {
    const tokens = markdown.parse(text, environment)
    await setFormulas(tokens, pace)
    return new Markup(markdown.renderer.render(tokens, {}, environment))
  } catch {
    // A text that the parser cannot handle must not make the page fail.
    return preformatted(text)
  }
}

/** Each formula takes a while, so other work gets its turn in between. */
async function setFormulas (tokens: Token[], pace: () => Promise<void>): Promise<void> {
  const found = tokens.flatMap((token) => [token, ...token.children ?? []]).filter(({ type }) => type === 'formula')
  if (found.length === 0) return
  const set = await loadFormulas()
  for (const token of found) {
    await pace()
    const { tex, display } = token.meta as Formula
    token.meta = set({ tex, display })
  }
}

const parser = once(loadParser)

async function loadParser (): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it')
  // A separate constant, because the package's types do not know `maxNesting`.
  const options = { html: false, linkify: true, breaks: true, maxNesting }
  const markdown = new Parser(options)
  markdown.validateLink = (address) => isLinkable(address) || isInlineImage(address)
  markdown.core.ruler.push('session-page', ({ tokens }) => { for (const token of tokens) adapt(token) })
  markdown.inline.ruler.before('escape', 'formula', inlineFormula)
  markdown.inline.ruler.before('link', 'footnote', footnoteRef)
  markdown.block.ruler.before('fence', 'formula', displayedFormula, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  const { rules } = markdown.renderer
  rules['formula'] = (tokens, index) => formula(tokens[index]).source
  rules['footnote'] = (tokens, index) => (tokens[index]?.meta as Markup | undefined)?.source ?? ''
  rules.code_inline = (tokens, index) => html`<code dir="ltr">${tokens[index]?.content}</code>`.source
  rules.fence = (tokens, index, _, environment: Environment) =>
    codeBlock(tokens[index]?.content, tokens[index]?.info, environment.highlight).source
  rules.code_block = (tokens, index, _, environment: Environment) => codeBlock(tokens[index]?.content, '', environment.highlight).source
  rules.table_open = () => '<div class="table" tabindex="0"><table>'
  rules.table_close = () => '</table></div>'
  rules.image = (tokens, index, options, environment, self) => {
    const { attrs, children, meta } = tokens[index] ?? {}
    const address = new Map(attrs ?? []).get('src') ?? ''
    return image(address, self.renderInlineAsText(children ?? [], options, environment), { isInLink: meta?.isInLink === true }).source
  }
  return markdown
}

function formula (token: Token | undefined): Markup {
  const set: unknown = token?.meta
  const shown = set instanceof Markup ? set : html`<code dir="ltr">${token?.content.trim()}</code>`
  return token?.block === true ? html`<div class="formula" tabindex="0">${shown}</div>` : shown
}

type InlineRule = Parameters<MarkdownIt['inline']['ruler']['push']>[1]
type BlockRule = Parameters<MarkdownIt['block']['ruler']['push']>[1]

const inlineFormula: InlineRule = (state, silent) => {
  const sign = state.src.charCodeAt(state.pos)
  if (sign !== 0x24 && sign !== 0x5C) return false
  const found = formulaAt(state.src.slice(state.pos, state.pos + longestChars))
  if (found === null) return false
  if (!silent) Object.assign(state.push('formula', '', 0), { meta: found, content: found.raw })
  state.pos += found.raw.length
  return true
}

/**
 * `$$` or `\[` at the beginning of a line, with nothing after its end: lines inside that would begin a list or a heading are part of it.
 */
const displayedFormula: BlockRule = (state, line, endLine, silent) => {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4 || !/^(?:\$\$|\\\[)/.test(state.src.slice(start, start + 2))) return false
  const found = formulaAt(state.src.slice(start, start + longestChars))
  if (found === null || !found.display) return false
  const end = start + found.raw.length
  let last = line
  while (last < endLine && (state.eMarks[last] ?? Infinity) < end) last++
  if (last >= endLine || state.src.slice(end, state.eMarks[last]).trim() !== '') return false
  if (silent) return true
  state.line = last + 1
  Object.assign(state.push('formula', '', 0), { meta: found, content: found.raw, block: true, map: [line, state.line] })
  return true
}

const footnoteRef: InlineRule = (state, silent) => {
  const { notes, numbers, prefix } = state.env as Environment
  const found = /^\[\^([^\]\s]{1,80})\](?!:)/.exec(state.src.slice(state.pos, state.pos + 100))
  const label = labelOf(found?.[1] ?? '')
  if (found === null || !notes.has(label)) return false
  if (!silent) {
    const isFirst = !numbers.has(label)
    const number = numbers.get(label) ?? numbers.size + 1
    numbers.set(label, number)
    const link = html`<a href="#${prefix}note-${number}" aria-label="Footnote ${number}">${number}</a>`
    state.push('footnote', '', 0).meta = isFirst ? html`<sup id="${prefix}ref-${number}">${link}</sup>` : html`<sup>${link}</sup>`
  }
  state.pos += found[0].length
  return true
}

/** Puts headings below those of the page. Links lead only to pages and mail, and tell their target nothing about this page. */
function adapt (token: Token): void {
  if (token.type === 'heading_open' || token.type === 'heading_close') token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`
  let link: Token | null = null
  for (const child of token.children ?? []) {
    if (child.type === 'link_open') {
      link = child
      child.hidden = !isLinkable(child.attrGet('href') ?? '')
      child.attrSet('rel', 'noopener noreferrer')
    } else if (child.type === 'link_close') {
      child.hidden = link?.hidden ?? false
      link = null
    } else if (child.type === 'image') {
      child.meta = { isInLink: link !== null }
    }
  }
}

/** Renders an image that its address contains, or a link to one elsewhere: the page loads nothing from the network. */
export function image (address: string, description: string, { isInLink = false } = {}): Markup {
  if (isInlineImage(address)) return html`<img src="${address}" alt="${description}">`
  const label = html`Image: <bdi>${description === '' ? address.slice(0, 200) : description}</bdi>`
  return isInLink || !isLinkable(address) ? label : html`<a href="${address}" rel="noopener noreferrer">${label}</a>`
}

function codeBlock (code = '', info = '', highlight: Highlight): Markup {
  const { source, language } = highlight(code, info.trim().replace(/\s[^]*$/, ''))
  const label = language === null ? null : html`<p class="language">${language}</p>`
  // Breaks lines that are too long to scroll along.
  const look = /[^\n]{500}/.test(code) ? 'wrapped' : 'code'
  return html`<div class="block">${label}<pre class="${look}" tabindex="0" dir="ltr"><code>${new Markup(source)}</code></pre></div>`
}
