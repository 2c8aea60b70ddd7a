import type MarkdownIt from 'markdown-it'
import { once } from '../ground/concurrency/once.js'
import { loadHighlight, withoutHighlight, type Highlight } from './highlight.js'
import { html, Markup } from './markup.js'
import { slices } from './slices.js'

type Token = ReturnType<MarkdownIt['parse']>[number]
/** What belongs to one text: markdown-it keeps the link definitions of its earlier parts here. */
interface Environment { highlight: Highlight }

/** Renders Markdown part by part; awaits `pace` between them. */
export type RenderMarkdown = (text: string) => Promise<Markup>

const maxNesting = 40
const linkable = /^(?:https?:\/\/|mailto:)/i
const maxImageChars = 8_000_000

/** Raster images that are in the address itself; anything else would be fetched, or could hold script. */
export function isInlineImage (address: string): boolean {
  const start = /^data:image\/(?:png|jpeg|gif|webp);base64,/i.exec(address)?.[0]
  return start !== undefined && address.length <= maxImageChars && !/[^A-Za-z0-9+/=]/.test(address.slice(start.length))
}

export const isLinkable = (address: string): boolean => linkable.test(address)

/** A renderer for one page. */
export async function createMarkdown (pace: () => Promise<void>): Promise<RenderMarkdown> {
  const markdown = await parser()
  let highlight: Highlight | undefined
  return async (text) => {
    if (highlight === undefined && /```|~~~/.test(text)) highlight = await loadHighlight()
    const environment: Environment = { highlight: highlight ?? withoutHighlight }
    const parts: Markup[] = []
    for (const slice of slices(text)) {
      await pace()
      parts.push(slice.kind === 'code' ? codeBlock(slice.text, slice.info, environment.highlight) : rendered(markdown, slice.text, environment))
    }
    return html`${parts}`
  }
}

/** Text in a box of its own, every space and line break kept; the line break behind the tag is none of it. */
export function preformatted (text: string): Markup {
  return html`<pre class="wrapped" tabindex="0" dir="auto">
${text}</pre>`
}

function rendered (markdown: MarkdownIt, text: string, environment: Environment): Markup {
  try {
    return new Markup(markdown.render(text, environment))
  } catch {
    // A page must not fail for one text that the parser cannot take.
    return preformatted(text)
  }
}

const parser = once(loadParser)

async function loadParser (): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it')
  // A constant of its own: the package's types do not know of `maxNesting`.
  const options = { html: false, linkify: true, breaks: true, maxNesting }
  const markdown = new Parser(options)
  markdown.validateLink = (address) => isLinkable(address) || isInlineImage(address)
  markdown.core.ruler.push('session-page', ({ tokens }) => { for (const token of tokens) adapt(token) })
  const { rules } = markdown.renderer
  rules.fence = (tokens, index, _, environment: Environment) => codeBlock(tokens[index]!.content, tokens[index]!.info, environment.highlight).source
  rules.code_block = (tokens, index, _, environment: Environment) => codeBlock(tokens[index]!.content, '', environment.highlight).source
  rules.table_open = () => '<div class="table" tabindex="0"><table>'
  rules.table_close = () => '</table></div>'
  rules.image = (tokens, index, options, environment, self) => {
    const { attrs, children, meta } = tokens[index]!
    const address = new Map(attrs ?? []).get('src') ?? ''
    return image(address, self.renderInlineAsText(children ?? [], options, environment), { isInLink: meta?.isInLink === true }).source
  }
  return markdown
}

/** Headings below those of the page; links that say nothing about this page to where they lead, and only to pages and mail. */
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

/** An image that the page itself holds, or a link to one elsewhere: nothing is loaded from the network. */
export function image (address: string, description: string, { isInLink = false } = {}): Markup {
  if (isInlineImage(address)) return html`<img src="${address}" alt="${description}">`
  const label = html`Image: <bdi>${description === '' ? address.slice(0, 200) : description}</bdi>`
  return isInLink || !isLinkable(address) ? label : html`<a href="${address}" rel="noopener noreferrer">${label}</a>`
}

function codeBlock (code: string, info: string, highlight: Highlight): Markup {
  const { source, language } = highlight(code, info.trim().split(/\s+/, 1)[0]!)
  const label = language === null ? null : html`<p class="language">${language}</p>`
  // A line that nobody wants to scroll along is broken.
  const look = /[^\n]{500}/.test(code) ? 'wrapped' : 'code'
  return html`<div class="block">${label}<pre class="${look}" tabindex="0"><code>${new Markup(source)}</code></pre></div>`
}
