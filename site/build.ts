// npm run docs [-- <folder>]: makes the site of the documentation, which the service serves at /help. Nothing in it asks another server,
// every address is relative, and no page has a script or a style of its own, so that it works below any path and under a strict policy.
import { build } from 'esbuild'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apiPages, type Document } from './api.js'
import { drawPage, type Link, type Menu } from './layout.js'
import { render, withoutComments, type Picture, type Rendered } from './markdown.js'
import { apiPage, groups } from './pages.js'
import { type Entry } from './search.js'

/** A page before it is drawn. `path`: of the file it is from; null for one that is made. */
interface Page { readonly name: string, readonly path: string | null, readonly group: string, readonly markdown: string }

const font = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
/** Folders with images, by the same names on the site. */
const pictures = ['pictures', 'performance']
const look = 'site/look'
const builtFolder = 'site/built'
/** In the folder: marks it as one of this program's. `npm run build` notes there what the site was made of (scripts/stamps.js). */
const stampFile = '.stamp'
const title = 'Agent Web Service'

/** Makes the site in a folder, which it empties first. Returns the names of its pages. */
export async function buildSite (folder: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // First, so that the folder can be emptied again if what follows fails.
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

/** Every page in its order: those of the navigation whose file is there, then the reference. */
function readPages (): Page[] {
  const reference = apiPages(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document)
  return groups.flatMap(({ title: group, pages }): Page[] => [
    ...pages.filter(({ path }) => existsSync(path)).map(({ name, path }) => ({ name, path, group, markdown: readFileSync(path, 'utf8') })),
    ...group === 'Reference' ? reference.map(({ name, markdown }) => ({ name, path: null, group, markdown })) : []
  ])
}

/** Where a link of a page leads on the site; null where the site has nothing of it. */
function linkFrom ({ path }: Page, href: string, known: ReadonlyMap<string, string>): string | null {
  if (/^(?:[a-z]+:|#)/i.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = normalize(join(dirname(path ?? 'docs/x.md'), file))
  const page = known.get(target) ?? (target === 'README.md' ? 'index' : undefined)
  if (page !== undefined) return `${page}.html${anchor === undefined ? '' : `#${anchor}`}`
  return pictures.some((name) => target.startsWith(`docs/${name}/`)) && existsSync(target) ? target.slice('docs/'.length) : null
}

/** The page as Markdown, with links that lead to the other pages as Markdown. */
function twinOf (page: Page, known: ReadonlyMap<string, string>): string {
  return withoutComments(page.markdown).split(/^(```[\s\S]*?^```)$/m).map((part, at) => at % 2 === 1
    ? part
    : part.replaceAll(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
      const target = linkFrom(page, href, known)
      return target === null ? whole : `](${target.replace(/^([\w-]+)\.html/, '$1.md')})`
    })).join('')
}

/** The size of a picture below docs, and its dark twin if there is one. */
function pictureOf (path: string): Picture {
  const file = join('docs', path.replace(/^docs\//, ''))
  const dark = file.replace(/\.(\w+)$/, '-dark.$1')
  const address = (of: string): string => of.slice('docs/'.length)
  return { src: address(file), ...sizeOf(file), dark: existsSync(dark) ? address(dark) : null }
}

/** In pixels of a page: of a PNG by its header, of an SVG by its attributes. What was taken of a phone has two pixels for one. */
function sizeOf (file: string): { width: number, height: number } {
  const bytes = readFileSync(file)
  if (file.endsWith('.svg')) {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(bytes.toString()) ?? []
    return { width: Number(width), height: Number(height) }
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const scale = width < height ? 2 : 1
  return { width: width / scale, height: height / scale }
}

/** The navigation: each group, and below "Reference" only the page that the others are reached from. */
function menuOf (pages: readonly Page[], rendered: readonly Rendered[]): Menu {
  return groups.map(({ title }) => ({
    title,
    links: pages.flatMap((page, at) => page.group === title && !page.name.startsWith(`${apiPage}-`) ? linkTo(page, rendered[at]) ?? [] : [])
  })).filter(({ links }) => links.length > 0)
}

const linkTo = (page: Page | undefined, rendered: Rendered | undefined): Link | null =>
  page === undefined || rendered === undefined ? null : { page: page.name, text: rendered.title }

/** llms.txt: what there is to read, for programs that read (https://llmstxt.org). */
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

/** What the search looks through. The shapes of the reference are left out: every word is in them. */
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

/** Makes the site in the folder that is named. Throws where it holds something else. */
async function main (): Promise<void> {
  const folder = resolve(process.argv[2] ?? builtFolder)
  process.chdir(dirname(import.meta.dirname))
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, stampFile))) {
    throw new Error(`${folder} holds something else: name a new or an empty folder`)
  }
  await buildSite(folder)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
