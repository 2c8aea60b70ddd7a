import MarkdownIt from 'markdown-it'

type Token = ReturnType<MarkdownIt['parse']>[number]

export interface Heading { readonly level: number, readonly id: string, readonly text: string }

/** A part of a page for the search: the text below one heading. */
interface Section { readonly anchor: string, readonly heading: string, readonly text: string }

export interface Rendered {
  readonly title: string
  /** The first paragraph as plain text. */
  readonly summary: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

export interface Options {
  /** Returns where a link leads on the site; null if the site has no such page: then only the link's text is drawn. */
  readonly link: (href: string) => string | null
  /** Returns the address and size of an image, and the address of its variant for the dark theme. */
  readonly picture: (path: string) => Picture
  /** Whether rows of tables get an anchor from the code in their first cell. */
  readonly rowAnchors?: boolean
}

export interface Picture { readonly src: string, readonly width: number, readonly height: number, readonly dark: string | null }

/** Returns the anchor that GitHub gives a heading, so that links work there and here. */
export const anchorOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\- _]/gu, '').replaceAll(' ', '-')

/** Returns the Markdown without comments, which are for its authors. Those in code blocks stay. */
export const withoutComments = (markdown: string): string =>
  markdown.split(/^(```[\s\S]*?^```)$/m).map((part, at) => at % 2 === 1 ? part : part.replaceAll(/<!--[\s\S]*?-->\n?/g, '')).join('')

/** Renders a document. Nothing in it becomes a script or a style: HTML is shown as text, and alignment becomes a class. */
export function render (markdown: string, options: Options): Rendered {
  const parser = new MarkdownIt({ html: false })
  const tokens = parser.parse(withoutComments(markdown), {})
  const headings = nameHeadings(tokens)
  resolveLinks(tokens, options.link)
  classifyAlignment(tokens)
  emptyHeads(tokens)
  markStacking(tokens)
  if (options.rowAnchors === true) nameRows(tokens)
  drawSpecially(parser, options)
  return {
    title: headings.find(({ level }) => level === 1)?.text ?? '',
    summary: textOf(tokens[tokens.findIndex(({ type }) => type === 'paragraph_open') + 1]),
    html: parser.renderer.render(tokens, parser.options, {}),
    headings,
    sections: sectionsOf(tokens)
  }
}

function nameHeadings (tokens: Token[]): Heading[] {
  const used = new Map<string, number>()
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[at + 1])
    const anchor = anchorOf(text)
    const times = used.get(anchor) ?? 0
    used.set(anchor, times + 1)
    const id = times === 0 ? anchor : `${anchor}-${times}`
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, text }]
  })
}

/** Changes links to their addresses on the site, and removes those that lead nowhere there. */
function resolveLinks (tokens: Token[], link: Options['link']): void {
  for (const { children } of tokens) {
    let isGone = false
    for (const child of children ?? []) {
      if (child.type === 'link_open') {
        const href = link(child.attrGet('href') ?? '')
        isGone = href === null
        if (href === null) child.hidden = true
        else child.attrSet('href', href)
      } else if (child.type === 'link_close') {
        child.hidden = isGone
        isGone = false
      }
    }
  }
}

/** Replaces the style attributes that the parser writes by classes, because the service's policy forbids them. */
function classifyAlignment (tokens: Token[]): void {
  for (const token of tokens) {
    const align = /text-align:(\w+)/.exec(token.attrGet('style') ?? '')?.[1]
    if (align === undefined) continue
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
    token.attrJoin('class', `align-${align}`)
  }
}

/** Changes header cells without text into ordinary ones, for screen readers. */
function emptyHeads (tokens: Token[]): void {
  tokens.forEach((token, at) => {
    const close = tokens[at + 2]
    if (token.type !== 'th_open' || tokens[at + 1]?.content !== '' || close === undefined) return
    token.tag = 'td'
    close.tag = 'td'
  })
}

/** Marks tables of texts with three or four columns, which become one column on a phone. Tables of numbers keep their columns. */
function markStacking (tokens: Token[]): void {
  tokens.forEach((token, at) => {
    if (token.type !== 'table_open') return
    const heads = tokens.slice(at, tokens.findIndex(({ type }, place) => place > at && type === 'thead_close')).filter(({ type }) => type === 'th_open')
    if (heads.length > 2 && heads.length < 5 && heads.every((head) => head.attrGet('class') === null)) token.attrSet('class', 'stacks')
  })
}

/** Gives rows the code in their first cell as an anchor. If several rows have it, the last one gets it, which is in the general table. */
function nameRows (tokens: Token[]): void {
  const rows = new Map<string, Token>()
  tokens.forEach((token, at) => {
    const [only, ...others] = tokens[at + 2]?.children ?? []
    if (token.type === 'tr_open' && only?.type === 'code_inline' && others.length === 0) rows.set(only.content, token)
  })
  for (const [code, row] of rows) row.attrSet('id', code)
}

function drawSpecially ({ renderer, utils: { escapeHtml } }: MarkdownIt, { picture }: Options): void {
  const { rules } = renderer
  const hidden = (own: NonNullable<typeof rules[string]>): NonNullable<typeof rules[string]> => (tokens, at, ...rest) =>
    tokens[at]?.hidden === true ? '' : own(tokens, at, ...rest)
  rules.link_open = hidden((tokens, at, options, _environment, self) => self.renderToken(tokens, at, options))
  rules.link_close = hidden(() => '</a>')
  rules.heading_close = (tokens, at) => {
    const { tag } = tokens[at] ?? { tag: 'h2' }
    const id = tokens[at - 2]?.attrGet('id') ?? ''
    const text = textOf(tokens[at - 1])
    return tag === 'h1' ? '</h1>\n' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a></${tag}>\n`
  }
  rules.table_open = (tokens, at) => `<div class="table${tokens[at]?.attrGet('class') === null ? '' : ' stacks'}" tabindex="0"><table>\n`
  rules.table_close = () => '</table></div>\n'
  rules.fence = rules.code_block = (tokens, at) => {
    const { content = '', info = '' } = tokens[at] ?? {}
    const language = info.split(/\s/, 1)[0] ?? ''
    return `<figure class="code"><pre tabindex="0"><code${language === '' ? '' : ` data-language="${escapeHtml(language)}"`}>${
      escapeHtml(content)}</code></pre></figure>\n`
  }
  rules.image = (tokens, at) => {
    const token = tokens[at]
    const { src, width, height, dark } = picture(token?.attrGet('src') ?? '')
    const image = (address: string, name: string): string =>
      `<img${name} src="${escapeHtml(address)}" alt="${escapeHtml(token?.content ?? '')}" width="${width}" height="${height}" loading="lazy">`
    return dark === null ? image(src, '') : `${image(src, ' class="in-light"')}${image(dark, ' class="in-dark"')}`
  }
}

function sectionsOf (tokens: readonly Token[]): Section[] {
  const sections: Array<{ anchor: string, heading: string, texts: string[] }> = [{ anchor: '', heading: '', texts: [] }]
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      sections.push({ anchor: token.tag === 'h1' ? '' : token.attrGet('id') ?? '', heading: textOf(tokens[at + 1]), texts: [] })
    } else if (token.type === 'fence' || token.type === 'code_block') sections.at(-1)?.texts.push(token.content)
    else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') sections.at(-1)?.texts.push(textOf(token))
  })
  return sections.filter(({ heading, texts }) => heading !== '' || texts.length > 0)
    .map(({ anchor, heading, texts }) => ({ anchor, heading, text: texts.join(' ').replaceAll(/\s+/g, ' ').trim() }))
}

/** Returns the text of an inline token, without markup. */
const textOf = (token: Token | undefined): string => (token?.children ?? []).map(({ type, content }) =>
  type === 'text' || type === 'code_inline' ? content : type === 'softbreak' || type === 'hardbreak' ? ' ' : '').join('')
