/* global document */
import { el } from './dom.js'

// A small part of Markdown, built as DOM nodes: fences, headings, inline code, bold, emphasis, http(s) links. Everything
// else stays the text it is; white space is kept by the style sheet.

const sources = new WeakMap()
/** A paragraph beyond this is no prose; looking for marks in it would hold the page up. */
const longestMarkedUp = 20_000

/**
 * Shows text in a container. Blocks that have not changed since the last call keep their nodes, so that an answer can
 * grow word by word without being built anew.
 * @param {HTMLElement} container
 * @param {string} text
 */
export function renderMarkdown (container, text) {
  const blocks = splitBlocks(text)
  blocks.forEach((block, index) => {
    const shown = container.children[index]
    if (shown !== undefined && sources.get(shown) === block.source) return
    const node = renderBlock(block)
    sources.set(node, block.source)
    if (shown === undefined) container.append(node)
    else shown.replaceWith(node)
  })
  while (container.children.length > blocks.length) container.lastElementChild.remove()
}

/** Paragraphs are separated by empty lines; a fence ends with one of its kind that is at least as long, or with the text. */
function splitBlocks (text) {
  const blocks = []
  let paragraph = []
  let fence = null
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'text', source: paragraph.join('\n') })
    paragraph = []
  }
  for (const line of text.split('\n')) {
    if (fence !== null) {
      if (fence.end.test(line)) fence = null
      else fence.block.lines.push(line)
      continue
    }
    const opening = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line)
    if (opening !== null) {
      endParagraph()
      const block = { kind: 'code', language: opening[2].trim(), lines: [] }
      fence = { block, end: new RegExp(`^ {0,3}${opening[1][0]}{${opening[1].length},}\\s*$`) }
      blocks.push(block)
    } else if (line.trim() === '') {
      endParagraph()
    } else if (/^#{1,6} \S/.test(line)) {
      endParagraph()
      blocks.push({ kind: 'heading', source: line })
    } else {
      paragraph.push(line)
    }
  }
  endParagraph()
  for (const block of blocks) if (block.kind === 'code') block.source = `\`\`\`${block.language}\n${block.lines.join('\n')}`
  return blocks
}

function renderBlock (block) {
  switch (block.kind) {
    case 'code': return el('pre', { tabIndex: 0 }, el('code', {}, block.lines.join('\n')))
    case 'heading': return el('p', { class: 'heading' }, ...renderInline(block.source.replace(/^#+ /, '')))
    default: return el('p', {}, ...renderInline(block.source))
  }
}

const inline = new RegExp([
  '(?<!`)(?<ticks>`+)(?!`)(?<code>[^]+?)(?<!`)\\k<ticks>(?!`)',
  '\\*\\*(?<bold>\\S(?:[^]*?\\S)?)\\*\\*',
  '(?<![\\w*])\\*(?<emphasis>[^\\s*](?:[^*]*[^\\s*])?)\\*(?![\\w*])',
  '\\[(?<label>[^\\]\\n]+)\\]\\((?<target>https?:\\/\\/[^\\s()]+(?:\\([^\\s()]*\\)[^\\s()]*)*)\\)',
  '(?<address>https?:\\/\\/[^\\s<>"`]+[^\\s<>"`.,;:!?)\\]\'*])'
].join('|'), 'g')

function renderInline (text) {
  if (text.length > longestMarkedUp) return [text]
  const nodes = []
  let end = 0
  for (const match of text.matchAll(inline)) {
    if (match.index > end) nodes.push(document.createTextNode(text.slice(end, match.index)))
    nodes.push(renderSpan(match.groups))
    end = match.index + match[0].length
  }
  if (end < text.length) nodes.push(document.createTextNode(text.slice(end)))
  return nodes
}

function renderSpan ({ code, bold, emphasis, label, target, address }) {
  if (code !== undefined) return el('code', {}, code)
  if (bold !== undefined) return el('strong', {}, ...renderInline(bold))
  if (emphasis !== undefined) return el('em', {}, ...renderInline(emphasis))
  return el('a', { href: target ?? address, target: '_blank', rel: 'noopener noreferrer' }, label ?? address)
}
