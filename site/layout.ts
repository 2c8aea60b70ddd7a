import { type Heading, type Rendered } from './markdown.js'

export interface Link { readonly page: string, readonly text: string }
export type Menu = ReadonlyArray<{ readonly title: string, readonly links: readonly Link[] }>

export interface Drawing {
  /** The name of the page. */
  readonly page: string
  readonly content: Rendered
  readonly menu: Menu
  /** The name of the site. */
  readonly title: string
  readonly before: Link | null
  readonly after: Link | null
}

/** Returns a whole page. Elements that need the script are hidden until site.js shows them. */
export function drawPage ({ page, content, menu, title, before, after }: Drawing): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="description" content="${escape(content.summary.slice(0, 160))}">
  <title>${escape(page === 'index' ? title : `${content.title} – ${title}`)}</title>
  <link rel="icon" href="icon.svg">
  <link rel="alternate" type="text/markdown" href="${page}.md">
  <link rel="stylesheet" href="site.css">
  <script src="theme.js"></script>
  <script src="site.js" defer></script>
</head>
<body>
  <a class="skip" href="#content">Skip to content</a>
  <header class="top">
    <button type="button" class="menu-button" popovertarget="pages" aria-label="Pages">${menuIcon}</button>
    <a class="brand" href="index.html">${mark}<span>${escape(title)}</span></a>
    <button type="button" class="find" id="find" aria-label="Search" hidden>${findIcon}<span>Search</span><kbd>/</kbd></button>
    <a class="quiet" id="app" href="/" hidden>App</a>
    <button type="button" class="quiet icon" id="theme" aria-label="Theme" hidden>${themeIcon}</button>
  </header>
  <div class="frame">
    <nav class="pages" id="pages" popover aria-label="Pages">${menu.map((group) => groupOf(group, page)).join('')}
    </nav>
    <main id="content">
      <article>
${content.html}      </article>
      <nav class="around" aria-label="Previous and next page">${around('Previous', before)}${around('Next', after)}</nav>
      <footer><a href="${page}.md">This page as Markdown</a></footer>
    </main>
    ${contentsOf(content.headings)}
  </div>
  <dialog id="search" aria-label="Search">
    <input type="search" role="combobox" aria-controls="hits" aria-expanded="false" aria-label="Search" placeholder="Search the documentation" autocomplete="off" spellcheck="false">
    <div id="hits" role="listbox" aria-label="Results"></div>
    <p class="nothing" role="status"></p>
  </dialog>
</body>
</html>
`
}

/** Escapes a text for HTML, including attribute values. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const groupOf = ({ title, links }: Menu[number], page: string): string => `
      <h2>${escape(title)}</h2>
      <ul>${links.map((link) => `
        <li><a href="${link.page}.html"${isIn(link.page, page) ? ' aria-current="page"' : ''}>${escape(link.text)}</a></li>`).join('')}
      </ul>`

/** Whether a link leads to the page, or to the first page of its reference. */
const isIn = (link: string, page: string): boolean => link === page || (link === 'api' && page.startsWith('api-'))

const around = (word: string, link: Link | null): string =>
  link === null ? '<span></span>' : `<a href="${link.page}.html"><small>${word}</small>${escape(link.text)}</a>`

/** Returns the list of the page's headings; empty if there are fewer than three. */
function contentsOf (headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 3) return '<div></div>'
  return `<nav class="here" aria-label="On this page">
      <h2>On this page</h2>
      <ul>${shown.map(({ level, id, text }) => `
        <li class="level-${level}"><a href="#${escape(id)}">${escape(text)}</a></li>`).join('')}
      </ul>
    </nav>`
}

const strokes = 'fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round"'
const icon = (drawing: string): string => `<svg viewBox="0 0 24 24" width="18" height="18" ${strokes} aria-hidden="true">${drawing}</svg>`
const mark = icon('<path d="M19 17.2A8.6 8.6 0 1 1 19 6.8" stroke-width="3.2"/>')
const menuIcon = icon('<path d="M4 7h16M4 12h16M4 17h16"/>')
const findIcon = icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>')
const themeIcon = icon('<circle cx="12" cy="12" r="8"/><path d="M12 4v16" /><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>')
