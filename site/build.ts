// npm run docs [-- <folder>]: builds the documentation site, which the service serves at /help. It loads nothing from other servers, its
// addresses are relative, and its pages have no inline scripts or styles, so that it works below any path and under a strict policy.
import { build } from 'esbuild'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apiPages, type Document } from './api.js'
import { drawPage, type Link, type Menu } from './layout.js'
import { render, withoutComments, type Picture, type Rendered } from './markdown.js'
import { apiPage, groups } from './pages.js'
import { type Entry } from './search.js'

/** A page before it is drawn. `path`: the file that it comes from; null for a generated page. */
interface Page { readonly name: string, readonly path: string | null, readonly group: string, readonly markdown: string }

const font = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
/** Folders with images, which have the same names on the site. */
const pictures = ['pictures', 'performance']
const look = 'site/look'
const builtFolder = 'site/built'
/** A file that marks a folder as built by this program. `npm run build` records in it what the site was built from (scripts/stamps.js). */
const stampFile = '.stamp'
const title = 'Agent Web Service'

/** Builds the site in a folder, which it empties first. Returns the names of its pages. */
export async function buildSite (folder: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // Written first, so that a later run may empty the folder even if this one fails.
  writeFileSync(join(folder, stampFile), '')
  const pages = readPages()
  const known = new Map(pages.flatMap(({ name, path }) => path === null ? [[`docs/${name}.md`, name]] : [[path, name]]))
  const rendered = pages.map((page) => render(page.markdown, {
    link: (href) => linkFrom(page, href, known),
    picture: (path) => pictureOf(path),
    rowAnchors: page.name === 'troubleshooting'
  }))
  const menu = menuOf(pages, rendered)
  pages.forEach((page, at) => {
    const own = rendered[at]
    if (own === undefined) return
    const link = (place: number): Link | null => linkTo(pages[place], rendered[place])
    const around = { before: link(at - 1), after: link(at + 1) }
    writeFileSync(join(folder, `${page.name}.html`), drawPage({ page: page.name, content: own, menu, title, ...around }))
    writeFileSync(join(folder, `${page.name}.md`), twinOf(page, known))
  })
  writeFileSync(join(folder, 'llms.txt'), listForModels(pages, rendered))
  writeFileSync(join(folder, 'search-index.js'), `window.siteIndex = ${JSON.stringify(indexOf(pages, rendered))}\n`)
  await copyLook(folder)
  return pages.map(({ name }) => name)
}

/** Returns the pages in the order of the navigation: those whose file exists, and the generated reference. */
function readPages (): Page[] {
  const reference = apiPages(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document)
  return groups.flatMap(({ title: group, pages }): Page[] => [
    ...pages.filter(({ path }) => existsSync(path)).map(({ name, path }) => ({ name, path, group, markdown: readFileSync(path, 'utf8') })),
    ...group === 'Reference' ? reference.map(({ name, markdown }) => ({ name, path: null, group, markdown })) : []
  ])
}

/** Returns where a link of a page leads on the site; null if the site does not have its target. */
function linkFrom ({ path }: Page, href: string, known: ReadonlyMap<string, string>): string | null {
  if (/^(?:[a-z]+:|#)/i.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = normalize(join(dirname(path ?? 'docs/x.md'), file))
  const page = known.get(target) ?? (target === 'README.md' ? 'index' : undefined)
  if (page !== undefined) return `${page}.html${anchor === undefined ? '' : `#${anchor}`}`
  return pictures.some((name) => target.startsWith(`docs/${name}/`)) && existsSync(target) ? target.slice('docs/'.length) : null
}

/** Returns the page as Markdown, with links to the Markdown of other pages. */
function twinOf (page: Page, known: ReadonlyMap<string, string>): string {
  return withoutComments(page.markdown).split(/^(```[\s\S]*?^```)$/m).map((part, at) => at % 2 === 1
    ? part
    : part.replaceAll(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
      const target = linkFrom(page, href, known)
      return target === null ? whole : `](${target.replace(/^([\w-]+)\.html/, '$1.md')})`
    })).join('')
}

/** Returns the size of a picture below docs, and its dark variant if it has one. */
function pictureOf (path: string): Picture {
  const file = join('docs', path.replace(/^docs\//, ''))
  const dark = file.replace(/\.(\w+)$/, '-dark.$1')
  const address = (of: string): string => of.slice('docs/'.length)
  return { src: address(file), ...sizeOf(file), dark: existsSync(dark) ? address(dark) : null }
}

/** Returns a size in CSS pixels, from a WebP's header or an SVG's viewBox. Portrait pictures are phone screens at twice the scale. */
function sizeOf (file: string): { width: number, height: number } {
  const bytes = readFileSync(file)
  if (file.endsWith('.svg')) {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(bytes.toString()) ?? []
    return { width: Number(width), height: Number(height) }
  }
  const [width, height] = webpSize(bytes, file)
  const scale = width < height ? 2 : 1
  return { width: width / scale, height: height / scale }
}

/** Returns a size in pixels, from the first chunk: a lossy picture (RFC 6386, section 9.1), or what it has besides (RFC 9649). */
function webpSize (bytes: Buffer, file: string): [width: number, height: number] {
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8 ': return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
    case 'WEBPVP8X': return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
    default: throw new Error(`${file} is not a WebP with a loss`)
  }
}

/** Returns the navigation. Of the HTTP reference, it lists only the first page. */
function menuOf (pages: readonly Page[], rendered: readonly Rendered[]): Menu {
  return groups.map(({ title }) => ({
    title,
    links: pages.flatMap((page, at) => page.group === title && !page.name.startsWith(`${apiPage}-`) ? linkTo(page, rendered[at]) ?? [] : [])
  })).filter(({ links }) => links.length > 0)
}

const linkTo = (page: Page | undefined, rendered: Rendered | undefined): Link | null =>
  page === undefined || rendered === undefined ? null : { page: page.name, text: rendered.title }

/** Returns the text of llms.txt, a list of all pages for language models (https://llmstxt.org). */
function listForModels (pages: readonly Page[], rendered: readonly Rendered[]): string {
  const lines = groups.map(({ title: group }) => {
    const links = pages.flatMap((page, at) => {
      const { title: name = '', summary = '' } = rendered[at] ?? {}
      return page.group === group ? [`- [${name}](${page.name}.md): ${summary}`] : []
    })
    return `## ${group}\n\n${links.join('\n')}\n`
  })
  return `# ${title}\n\n> ${rendered[0]?.summary ?? ''}\n\n${lines.join('\n')}`
}

/** Returns the index of the search. It leaves out the shapes of the reference, which contain almost every word. */
function indexOf (pages: readonly Page[], rendered: readonly Rendered[]): Entry[] {
  return pages.flatMap(({ name }, at) => name === `${apiPage}-shapes`
    ? []
    : rendered[at]?.sections.map(({ anchor, heading, text }) => ({ page: name, anchor, title: rendered[at]?.title ?? '', heading, text })) ?? [])
}

async function copyLook (folder: string): Promise<void> {
  for (const name of pictures) cpSync(join('docs', name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('.json') })
  copyFileSync(font, join(folder, 'inter.woff2'))
  copyFileSync('web/static/icon.svg', join(folder, 'icon.svg'))
  copyFileSync(join(look, 'theme.js'), join(folder, 'theme.js'))
  writeFileSync(join(folder, 'site.css'), `${readFileSync('web/src/ui/tokens.css', 'utf8')}\n${readFileSync(join(look, 'site.css'), 'utf8')}`)
  await build({
    entryPoints: [join(look, 'site.js')], outfile: join(folder, 'site.js'), bundle: true, format: 'iife', target: 'es2022', logLevel: 'warning'
  })
}

/** Builds the site in the given folder. Throws if the folder contains anything else. */
async function main (): Promise<void> {
  const folder = resolve(process.argv[2] ?? builtFolder)
  process.chdir(dirname(import.meta.dirname))
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, stampFile))) {
    throw new Error(`${folder} contains other files: give a new or an empty folder`)
  }
  await buildSite(folder)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
