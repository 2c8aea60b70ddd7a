import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from '#test'
import { apiPages, type Document } from '../../site/api.js'
import { anchorOf, render, withoutComments } from '../../site/markdown.js'
import { groups } from '../../site/pages.js'
import { search } from '../../site/search.js'

const built = 'site/built'
const pages = readdirSync(built).filter((name) => name.endsWith('.html')).toSorted()
const read = (name: string): string => readFileSync(join(built, name), 'utf8')
const plain = { link: (href: string) => href, picture: (src: string) => ({ src, width: 1, height: 1, dark: null }) }

t.test('every document has its place in the navigation, once, and every place its document', (t) => {
  const sources = groups.flatMap(({ pages }) => pages.map(({ path }) => path))
  t.equal(new Set(sources).size, sources.length)
  t.same(readdirSync('docs').filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`).filter((path) => !sources.includes(path)), [])
  t.same(sources.filter((path) => !existsSync(path)), [])
})

t.test('links of the site lead to a page and a heading that are there', (t) => {
  const anchors = new Map(pages.map((name) => [name, new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]))
  const broken = pages.flatMap((name) => [...read(name).matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, address]) => address ?? '')
    .filter((address) => !/^(?:https?:|mailto:|\/$)/.test(address))
    .filter((address) => {
      const [file, anchor] = decodeURIComponent(address).split('#')
      const target = file === '' ? name : file ?? ''
      return !existsSync(join(built, target)) || (anchor !== undefined && anchors.get(target)?.has(anchor) !== true)
    }).map((address) => `${name}: ${address}`))
  t.same([...new Set(broken)], [])
})

t.test('links of the documents lead to files of the project', (t) => {
  const sources = ['README.md', ...groups.flatMap(({ pages }) => pages.map(({ path }) => path))].filter((path) => existsSync(path))
  const names = new Set(apiPages(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document).map(({ name }) => `docs/${name}.md`))
  const broken = sources.flatMap((path) => [...withoutComments(readFileSync(path, 'utf8')).replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href]) => (href ?? '').split('#')[0] ?? '')
    .filter((file) => file !== '' && !/^[a-z]+:/.test(file))
    .map((file) => normalize(join(dirname(path), file)))
    // Files that the site adds to the documents.
    .filter((file) => !existsSync(file) && !names.has(file) && file !== 'docs/llms.txt')
    .map((file) => `${path}: ${file}`))
  t.same(broken, [])
})

t.test('no page has a script, a style or a foreign address of its own', (t) => {
  for (const name of pages) {
    const html = read(name)
    t.notMatch(html, /<style|\sstyle=|<script>|<script(?![^>]*\ssrc=)|\son[a-z]+=|javascript:/i, name)
    t.notMatch(html, /<(?:link|script|img)[^>]*(?:href|src)="(?:https?:)?\/\//i, name)
  }
  t.notMatch(read('site.css'), /@import|url\("?(?:https?:)?\/\//)
})

t.test('every page has a twin in Markdown, and llms.txt lists them all', (t) => {
  const list = read('llms.txt')
  t.match(list, /^# Agent Web Service\n\n> /)
  for (const name of pages) {
    const twin = name.replace('.html', '.md')
    t.ok(existsSync(join(built, twin)), twin)
    t.match(list, `](${twin})`)
  }
  const links = [...read('security.md').matchAll(/\]\(([^)#\s]+)/g)].map(([, href]) => href ?? '').filter((href) => !href.startsWith('http'))
  t.ok(links.length > 0 && links.every((href) => existsSync(join(built, href))), 'links of a twin lead to twins')
})

t.test('Markdown becomes pages without a style, and without what its author says to authors', (t) => {
  const text = '# A `b` c\n\nFirst *line*.\n\n<!-- not for readers -->\n\n## Same\n\n## Same\n\n| a | b |\n|--:|---|\n| `x` | 1 |\n\n<b onclick="x">html</b>\n\n```bash run\necho <1\n```\n'
  const { title, summary, html, headings, sections } = render(text, { ...plain, rowAnchors: true })
  t.equal(title, 'A b c')
  t.equal(summary, 'First line.')
  t.same(headings.map(({ id }) => id), ['a-b-c', 'same', 'same-1'])
  t.notMatch(html, /not for readers|style=|<b /)
  t.match(html, /<th class="align-right">a/)
  t.match(html, /<tr id="x">/)
  t.match(html, /<code data-language="bash">echo &lt;1/)
  t.match(sections.at(-1), { anchor: 'same-1', text: /html.*echo <1/ })
  t.equal(withoutComments('a\n```\n<!-- kept -->\n```\n'), 'a\n```\n<!-- kept -->\n```\n')
  t.equal(anchorOf('POST /api/session/{id}: `x_y`'), 'post-apisessionid-x_y')
  t.equal(render('[gone](x.md) and [there](y.md)', { ...plain, link: (href) => href === 'x.md' ? null : href }).html, '<p>gone and <a href="y.md">there</a></p>\n')
})

t.test('the search finds sections by all of their words, the nearest first, and shows where', (t) => {
  const index = JSON.parse(read('search-index.js').replace(/^window\.siteIndex = /, '')) as Parameters<typeof search>[0]
  const first = (query: string) => search(index, query)[0]
  t.match(first('nginx'), { page: 'reverse-proxy', anchor: 'nginx' })
  t.match(first('dirty_worktree'), { page: /troubleshooting|interface/ })
  t.match(first('phone notifications'), { page: 'phone' })
  t.match(first('POST /api/chat/start'), { page: 'api-chat', anchor: 'post-apichatstart' })
  t.equal(first('nothing-of-this-kind'), undefined)
  t.same(search(index, ' '), [])
  t.same(search([{ page: 'a', anchor: '', title: 'A', heading: 'A', text: 'One (two) three' }], '(TWO)')[0]?.excerpt, ['One ', '(two)', ' three'])
})
