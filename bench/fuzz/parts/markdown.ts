import { build } from 'esbuild'
import fc from 'fast-check'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMarkdown } from '../../../services/areas/exports/markdown.js'
import { once } from '../../../services/ground/concurrency/once.js'
import { longMs } from './long.js'
import { type Part } from './part.js'
import { anyCharacter } from '../../../test/support/any-character.js'

/** A Preact element, with the properties that are checked. */
interface Element { type: string | ((props: object) => unknown), props: Record<string, unknown> }
interface Block { kind: string, text: string }
/** Exports of web/src/markdown, which is built separately because it is not part of the service. */
interface Renderer {
  Blocks: new () => { update (text: string, isWhole: boolean): readonly Block[], definitions: unknown }
  drawBlock (block: Block, definitions: unknown, context: object, isLive: boolean): unknown
  loadMending (): Promise<void>
  setFormula (tex: string, display: boolean): unknown
}

const entry = `
export { Blocks } from './blocks.js'
export { drawBlock, loadMending } from './Markdown.js'
export { setFormula } from './math.js'
`

/** Builds the renderer the same way as the app's tests. */
async function rendererIn (folder: string): Promise<Renderer> {
  const file = join(folder, 'renderer.mjs')
  await build({
    stdin: { contents: entry, resolveDir: 'web/src/markdown', loader: 'ts' },
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.css': 'empty' },
    logLevel: 'error',
    plugins: [{
      name: 'files-of-the-app',
      setup (bundle) {
        bundle.onResolve({ filter: /\?(?:url|raw)$/ }, ({ path }) => ({ path, namespace: 'file-of-the-app' }))
        bundle.onLoad({ filter: /./, namespace: 'file-of-the-app' }, () => ({ contents: 'export default ""' }))
      }
    }]
  })
  const renderer = await import(pathToFileURL(file).href) as Renderer
  await renderer.loadMending()
  return renderer
}

const address = fc.tuple(
  fc.constantFrom('', ' ', '\t', '\n', '\u0001', '\u00a0', '<', '&#9;', '&#x20;', '&Tab;', '%09', '\\', '\u200b', '//', 'https://a.example/?u='),
  fc.constantFrom('javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', 'java\tscript:alert(1)', 'java&#10;script:alert(1)', '&#106;avascript:alert(1)', '&#x6A;avascript&colon;alert(1)', 'javascript&#58;alert(1)', 'javascript%3Aalert(1)', 'vbscript:x',
    'data:text/html,<script>alert(1)</script>', 'DATA:text/html;base64,PHM+', 'data:image/svg+xml,<svg onload=alert(1)>', 'data:image/png;base64,aGk=', 'blob:https://a/b', 'file:///etc/passwd', 'filesystem:x', '//evil.example/x', '\\\\evil.example', 'https://a.example/', 'http://a:b@c/',
    'mailto:a@b.example?bcc=c', 'https:javascript:alert(1)', 'view-source:x', 'about:blank', '/api/file/raw?path=a', '/api/chat/cancel', '/api/media/../logout', '../../a.ts', 'x.ts:12', '#a', '?a', 'https://a.example/"onclick="alert(1)', "https://a.example/'onclick='alert(1)", 'https://\u0430.example/', 'https://a.example/\u202ecod.exe'),
  fc.constantFrom('', ' ', '>', '"', ' "title" onclick=x', ' "a\\" onmouseover=alert(1) b=\\""', ' (t)', ')', '#', '\u0000')
).map((pieces) => pieces.join(''))
const html = fc.constantFrom('<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg/onload=alert(1)>', '<a href="javascript:x">', '<iframe srcdoc="<script>x</script>">', '<math><mtext><img src onerror=x></mtext></math>', '<style>*{}</style>', '<br onclick=x>', '<br>', '<br/>', '<!-- -->', '<![CDATA[x]]>', '<?php x ?>',
  '</div>', '</code></pre><script>x</script>', '&lt;script&gt;', '&#60;script&#62;', '<details open ontoggle=x>', '<base href=//a>', '<meta http-equiv=refresh>', '<form action=javascript:x>', '<x y="', '<')
const tex = fc.tuple(fc.constantFrom('$', '$$', '\\(', '\\['), fc.array(fc.constantFrom('x', '^', '_', '{', '}', '\\frac', '\\href{javascript:alert(1)}{x}', '\\url{javascript:x}', '\\includegraphics{http://a/b}', '\\class{a" onclick="x}{y}', '\\id{a}{b}', '\\style{color:red;background:url(http://a)}{x}', '\\data{a=b}{c}', '\\text{<script>}',
  '\\color{red" onclick="x}', '\\textcolor{url(http://a)}{x}', '\\colorbox{javascript:x}{y}', '\\rule{9999em}{9999em}', '\\kern{1e9em}', '\\def\\a{\\a\\a}\\a', '\\newcommand{\\b}{\\b\\b}\\b', '\\begin{matrix}', '&', '\\\\', '\\end{matrix}', '\\left(', '\\right)', '\\sqrt', '\\unicode{60}', '\\char60', '\\mathchoice{a}{b}{c}{d}', '\\tag{<b>}', '\\label{x}', '\\ref{x}', '%', '<', '>',
  '"', '\\operatorname{<img>}', '\\ce{H2O}', '\\htmlClass{a}{b}', '\\htmlStyle{x}{y}', '\\htmlData{onclick=x}{y}', '\\verb|<script>|'), { maxLength: 8 }), fc.constantFrom('$', '$$', '\\)', '\\]'))
  .map(([open, pieces, close]) => `${open}${pieces.join(' ')}${close}`)
const piece = fc.oneof(
  fc.tuple(fc.constantFrom('[a](', '![a](', '[a]: ', '<', '[a](<', '[![b](', '[a]["](', '[^1]: [a]('), address, fc.constantFrom(')', '>', '>)', ')](x)', '')).map((pieces) => pieces.join('')),
  html, tex, address, fc.constantFrom('[a]', '[a][a]', '[^1]', '[^__proto__]', '`code`', '``<b>``', '**b**', '*i', '~~s~~', '\\', '\\<', '&amp;lt;', 'word', 'www.a.example', 'a@b.example', '$5 and $10', ':', '|', '- [x] ', '# ', '> ', '1. ', '    ', '\t', '```js\n', '```html"onclick="x\n', '```\n', '~~~\n', '| a | b |\n|---|:-:|\n| 1 | ', '===', '---'),
  fc.string({ unit: anyCharacter, maxLength: 6 })
)
const text = fc.array(fc.tuple(piece, fc.constantFrom('', ' ', '\n', '\n\n', '\r\n')), { maxLength: 14 }).map((pieces) => pieces.flat().join(''))
/** Opening characters, repeated more often than anyone writes them. */
const nested = fc.tuple(fc.array(fc.constantFrom('[', '![', '(', '<', '*', '_', '**', '`', '~~', '$', '$$', '\\[', '\\(', '> ', '- ', '1. ', '#', '|', '&', '!', '^', '[^', ']: ', '](', '"', "'", '<!--', '<a ', '{', '\\frac{', '\\left(', 'a@', 'www.', 'https://a/', '```', '\n', ' ', '  ', '\t'), { minLength: 1, maxLength: 4 }), fc.integer({ min: 100, max: 12_000 }))
  .map(([pieces, times]) => pieces.join('').repeat(times).slice(0, 49_000))

const tags: ReadonlySet<string> = new Set(('a blockquote br button code del div em h1 h2 h3 h4 h5 h6 hr img input li ol p pre section span strong sup table tbody td th thead tr ul bdi s ' +
  'math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose').split(' '))
const leading = /^(?:action|background|cite|codebase|data|formaction|href|poster|src|srcset|srcdoc|xlink:href|xml:base)$/i
/** Browsers ignore control characters in front of an address, and line ends and tabs within it. */
// eslint-disable-next-line no-control-regex -- see above
const asBrowsersRead = (href: string): string => href.replace(/^[\u0000-\u0020]+|[\t\n\r]/g, '')
const isPicture = (href: string): boolean => /^\/api\/(?:file\/raw|media)(?:\?|$)/.test(href)
const isInlinePicture = (href: string): boolean => /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*$/i.test(href)
const isOwnPlace = (href: string): boolean => /^#[\w-]+$/.test(href)

/** Returns what is wrong with an attribute; null if it is fine. */
function wrongOf (tag: string, name: string, value: unknown): string | null {
  const isLeading = leading.test(name)
  const href = asBrowsersRead(String(value))
  if (name === 'dangerouslySetInnerHTML' || (/^on/i.test(name) && typeof value !== 'function')) return `${tag} ${name}`
  if (isLeading && tag === 'img' && (isPicture(href) || isInlinePicture(href))) return null
  if (isLeading && (tag !== 'a' || !(/^(?:https?:\/\/|mailto:)/i.test(href) || isOwnPlace(href)))) return `${tag} ${name}=${href}`
  const style = name === 'style' ? JSON.stringify(value) : ''
  return /url\(|expression|@import|position/i.test(style) ? `${tag} ${style}` : null
}

/** Returns what is drawn and must not be. A function is a component, whose own properties are plain text. */
function wrongIn (drawn: unknown): string[] {
  if (Array.isArray(drawn)) return drawn.flatMap(wrongIn)
  if (typeof drawn !== 'object' || drawn === null) return []
  const { type, props } = drawn as Partial<Element>
  if (type === undefined || props === undefined) return ['an object that is no element']
  const { children, ...own } = props
  if (typeof type === 'function') return ['Code', 'Formula'].includes(type.name) ? wrongIn(children) : [`the component ${type.name}`]
  if (!tags.has(type)) return [`the element ${type}`]
  return [...Object.entries(own).flatMap(([name, value]) => wrongOf(type, name, value) ?? []), ...wrongIn(children)]
}

/** Does the same for finished HTML; every character that opens a tag must belong to an allowed tag. */
function wrongInSource (source: string): string[] {
  const parts = source.matchAll(/<(?:\/([a-z0-9]+)>|([a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)>)?/g)
  return [...parts].flatMap(([whole, close, open, attributes = '']) => {
    const tag = close ?? open
    if (tag === undefined || !tags.has(tag)) return [`${whole}${source.slice(source.indexOf(whole), 80)}`]
    return [...attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].flatMap(([, name = '', value = '']) => wrongOf(tag, name, unescaped(value)) ?? [])
  })
}
const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const unescaped = (value: string): string => value.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

function refuse (wrong: string[]): boolean {
  if (wrong.length > 0) throw new Error([...new Set(wrong)].slice(0, 5).join(', '))
  return true
}

const context = { idPrefix: 'm1-', notes: new Map([['1', 1]]), origin: 'https://me.example', headingLevel: 3, onNote: () => {}, onFile: () => {} }

export const markdown: Part = {
  name: 'markdown',
  says: 'no text becomes a script, a handler, a link to one, or HTML, and none takes long',
  properties: (folder) => {
    const renderer = once(async () => await rendererIn(folder))
    const page = once(async () => await createMarkdown(async () => {}))
    const drawing = ({ Blocks, drawBlock }: Renderer, blocks: InstanceType<Renderer['Blocks']>, upTo: string, isWhole: boolean): unknown =>
      blocks.update(upTo, isWhole).filter(({ kind }) => kind !== 'footnote').map((block) => drawBlock(block, blocks.definitions, { ...context, live: !isWhole }, !isWhole))
    return [
      ['the app draws nothing else, letter by letter and as a whole', fc.asyncProperty(text, async (text) => {
        const app = await renderer()
        const blocks = new app.Blocks()
        for (let length = 1; length <= text.length; length++) refuse(wrongIn(drawing(app, blocks, text.slice(0, length), false)))
        return refuse(wrongIn(drawing(app, blocks, text, true)))
      }), 10],
      ['formulas lead nowhere', fc.asyncProperty(tex, fc.boolean(), async (tex, display) => {
        const { setFormula } = await renderer()
        let drawn: unknown
        const tookMs = longMs(() => { drawn = setFormula(tex.slice(1, -1), display) })
        return refuse([...wrongIn(drawn), ...tookMs === null ? [] : [`${tookMs} ms`]])
      })],
      ['a page that is exported or shared holds nothing else', fc.asyncProperty(text, async (text) => {
        return refuse(wrongInSource((await (await page())(text)).source))
      })],
      ['nothing is nested so deeply that it takes long, whole or as it grows', fc.asyncProperty(nested, async (text) => {
        const app = await renderer()
        const blocks = new app.Blocks()
        const tookMs = longMs(() => {
          for (let part = 1; part < 8; part++) drawing(app, blocks, text.slice(0, text.length * part / 8), false)
          drawing(app, blocks, text, true)
        })
        return refuse(tookMs === null ? [] : [`${tookMs} ms for ${text.length} characters`])
      }), 30]
    ]
  }
}
