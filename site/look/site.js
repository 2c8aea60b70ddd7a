// The script of the site: search, theme, copy buttons. Without it, everything can still be read.
import { search } from '../search.ts'

const find = document.getElementById('find')
const dialog = document.getElementById('search')
const field = dialog.querySelector('input')
const list = document.getElementById('hits')
const nothing = dialog.querySelector('.nothing')
let picked = 0

addCopyButtons()
showTheme()
followReading()
if (/\/help\//.test(window.location.pathname)) document.getElementById('app').hidden = false
find.hidden = false
find.addEventListener('click', openSearch)
window.addEventListener('keydown', (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if ((event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
    event.preventDefault()
    openSearch()
  }
})
field.addEventListener('input', showHits)
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') pick(picked + 1)
  else if (event.key === 'ArrowUp') pick(picked - 1)
  else if (event.key === 'Enter') list.children[picked]?.click()
  else return
  event.preventDefault()
})
// A click outside of the box.
dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close() })
list.addEventListener('click', () => dialog.close())

async function openSearch () {
  if (dialog.open) return
  dialog.showModal()
  field.select()
  await loadIndex()
  showHits()
}

/** Loads the index once, as a script, because a page that was opened as a file may not fetch. */
async function loadIndex () {
  if (window.siteIndex !== undefined) return
  const script = document.createElement('script')
  script.src = 'search-index.js'
  await new Promise((resolve) => {
    script.onload = script.onerror = resolve
    document.head.append(script)
  })
}

function showHits () {
  const hits = search(window.siteIndex ?? [], field.value)
  list.replaceChildren(...hits.map(drawHit))
  nothing.textContent = field.value.trim() !== '' && hits.length === 0 ? `Nothing found for “${field.value.trim()}”.` : ''
  field.setAttribute('aria-expanded', String(hits.length > 0))
  pick(0)
}

function drawHit ({ page, anchor, title, heading, excerpt }, at) {
  const link = document.createElement('a')
  link.href = `${page}.html${anchor === '' ? '' : `#${anchor}`}`
  link.id = `hit-${at}`
  link.role = 'option'
  link.tabIndex = -1
  const name = document.createElement('b')
  name.textContent = heading === '' || heading === title ? title : `${title} › ${heading}`
  const text = document.createElement('span')
  text.append(...excerpt.map((piece, place) => {
    if (place % 2 === 0) return piece
    const mark = document.createElement('mark')
    mark.textContent = piece
    return mark
  }))
  link.append(name, text)
  return link
}

function pick (place) {
  const { children } = list
  picked = children.length === 0 ? 0 : (place + children.length) % children.length
  for (const [at, child] of [...children].entries()) child.setAttribute('aria-selected', String(at === picked))
  field.setAttribute('aria-activedescendant', children[picked]?.id ?? '')
  children[picked]?.scrollIntoView({ block: 'nearest' })
}

function addCopyButtons () {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const copied = await copy(figure.querySelector('code').textContent)
      button.textContent = copied ? 'Copied' : 'Not copied'
      setTimeout(() => { button.textContent = 'Copy' }, 1_500)
    })
    figure.append(button)
  }
}

/** Copies a text. Resolves with whether that worked. Over plain http from another machine, browsers only have execCommand. */
async function copy (text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}

/** Shows the button that switches between the light and the dark theme. */
function showTheme () {
  const root = document.documentElement
  const button = document.getElementById('theme')
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  button.hidden = false
  button.addEventListener('click', () => {
    const isDark = (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark'
    root.dataset.theme = isDark ? 'light' : 'dark'
    try {
      localStorage.setItem('theme', root.dataset.theme)
    } catch {
      // The choice only applies to this page.
    }
  })
}

/** Marks the heading of the part that is being read in the list of headings. */
function followReading () {
  const links = new Map([...document.querySelectorAll('.here a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]))
  if (links.size === 0) return
  const observer = new window.IntersectionObserver((entries) => {
    const shown = entries.find(({ isIntersecting }) => isIntersecting)
    if (shown === undefined) return
    for (const link of links.values()) link.removeAttribute('aria-current')
    links.get(shown.target.id)?.setAttribute('aria-current', 'true')
  }, { rootMargin: '-60px 0px -75% 0px' })
  for (const id of links.keys()) {
    const heading = document.getElementById(id)
    if (heading !== null) observer.observe(heading)
  }
}
