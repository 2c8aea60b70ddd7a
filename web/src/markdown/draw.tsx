import { type ComponentChildren, type VNode } from 'preact'
import { type Token, type Tokens } from 'marked'
import { words } from '../words/index.js'
import { Code } from './Code.js'
import { directionOf } from './direction.js'
import { decodeEntities } from './entities.js'
import { type KnownToken, type NoteToken } from './lex.js'
import { Formula } from './Formula.js'
import { filePath, ownImage, targetOf, webAddress } from './targets.js'

/** The context in which a message's text is drawn. */
export interface DrawContext {
  /** The prefix of every id, unique for each message. */
  idPrefix: string
  /** The numbers of footnotes with a text, by label. */
  notes: ReadonlyMap<string, number>
  /** The origin of the service; only its images are shown, others become links. */
  origin: string
  /** The level of the first headings, 1 to 6: `#` and `##` get it, `###` the next. */
  headingLevel: number
  onFile?: ((path: string, line: number | null) => void) | undefined
  onNote: (id: string) => void
  /** Whether more text follows, so that a footnote may still get its text. */
  live?: boolean
  /** The last drawing of the block that is being written. */
  drawnLast?: DrawnLast | undefined
}

/** Caches the items and rows of a block: a long list grows only at its end, and unchanged items are not redrawn. */
export class DrawnLast {
  #before = new Map<string, VNode>()
  #now = new Map<string, VNode>()

  /** Returns the cached drawing for a key, or draws it. `key` must contain everything that the drawing depends on. */
  get (key: string, draw: () => VNode): VNode {
    const vnode = this.#before.get(key) ?? draw()
    this.#now.set(key, vnode)
    return vnode
  }

  /** Forgets drawings that were not used this time. */
  turn (): void {
    this.#before = this.#now
    this.#now = new Map()
  }
}

const maxDepth = 48

/** Draws inline or block tokens. Unknown or too deeply nested ones are shown as written. */
export function draw (tokens: readonly Token[], context: DrawContext, depth = 0): ComponentChildren[] {
  return tokens.map((token, at) => depth > maxDepth
    ? token.raw
    : drawOne(token as KnownToken, context, depth + 1, at))
}

function drawOne (token: KnownToken, context: DrawContext, depth: number, key: number): ComponentChildren {
  const within = (tokens: readonly Token[]) => draw(tokens, context, depth)
  switch (token.type) {
    case 'paragraph': return <p key={key} dir='auto'>{within(token.tokens)}</p>
    case 'text': return token.tokens === undefined ? unescaped(token) : within(token.tokens)
    case 'escape': return token.text
    case 'heading': return drawHeading(token, context, within, key)
    case 'strong': return <strong key={key}>{within(token.tokens)}</strong>
    case 'em': return <em key={key}>{within(token.tokens)}</em>
    case 'del': return <del key={key}>{within(token.tokens)}</del>
    case 'codespan': return drawCodespan(token.text, context, key)
    case 'br': return <br key={key} />
    case 'hr': return <hr key={key} />
    case 'link': return drawLink(token, context, within, key)
    case 'image': return drawImage(token, context, key)
    case 'list': return drawList(token, context, depth, key)
    case 'blockquote': return <blockquote key={key} dir={directionOf(token.text)}>{within(token.tokens)}</blockquote>
    case 'table': return drawTable(token, context, depth, key)
    case 'code': return <Code key={key} code={token.text} language={token.lang?.split(/[\s{,]/, 1)[0] ?? ''} closed />
    case 'math': return <Formula key={key} tex={token.tex} display={token.display} source={token.raw} />
    case 'note': return drawNote(token, context, key)
    case 'html': return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br key={key} /> : token.raw
    // Hiding a definition with more than a link would hide text from the reader.
    case 'def': return token.title !== undefined || targetOf(token.href).kind !== 'web' ? token.raw : null
    case 'checkbox': case 'space': return null
    default: return token.raw
  }
}

// Text that marked calls escaped is HTML, but this text is drawn as plain text.
const unescaped = ({ text, raw, escaped }: Tokens.Text): string => decodeEntities(escaped === true ? raw : text)

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

function drawHeading (
  { depth, tokens }: Tokens.Heading, { headingLevel }: DrawContext,
  within: (tokens: readonly Token[]) => ComponentChildren[], key: number
): VNode {
  const Level = headings[headingLevel + Math.max(0, depth - 2) - 1] ?? 'h6'
  return <Level key={key} dir='auto' class={`markdown-h${depth}`}>{within(tokens)}</Level>
}

function drawCodespan (text: string, { onFile }: DrawContext, key: number): VNode {
  const file = filePath(text)
  if (file === null || onFile === undefined) return <code key={key} dir='ltr'>{text}</code>
  return (
    <button key={key} type='button' class='markdown-file' onClick={() => onFile(file.path, file.line)}>
      <code dir='ltr'>{text}</code>
    </button>
  )
}

function drawLink (
  { href, title, tokens, autolink }: Tokens.Link, { onFile }: DrawContext,
  within: (tokens: readonly Token[]) => ComponentChildren[], key: number
): ComponentChildren {
  const target = targetOf(autolink === true ? href : decodeEntities(href))
  if (target.kind === 'web') {
    return (
      <a
        key={key} href={target.href} target='_blank' rel='noopener noreferrer'
        title={typeof title === 'string' && title !== '' ? `${title}\n${target.href}` : target.href}
      >
        {within(tokens)}
      </a>
    )
  }
  if (target.kind === 'file' && onFile !== undefined) {
    return <button key={key} type='button' class='markdown-file' onClick={() => onFile(target.path, target.line)}>{within(tokens)}</button>
  }
  return <span key={key}>{within(tokens)}</span>
}

function drawImage ({ href, text, title }: Tokens.Image, { origin }: DrawContext, key: number): ComponentChildren {
  const own = ownImage(href, origin)
  if (own !== null) {
    return <img key={key} class='markdown-image' src={own} alt={text} title={title ?? undefined} loading='lazy' decoding='async' />
  }
  const web = webAddress(href)
  const name = words.value.markdown.image(text === '' && web !== null ? web : text)
  return web === null ? text : <a key={key} href={web} target='_blank' rel='noopener noreferrer' title={web}>{name}</a>
}

function drawNote ({ label, raw }: NoteToken, { notes, idPrefix, onNote, live = false }: DrawContext, key: number): ComponentChildren {
  const number = notes.get(label)
  if (number === undefined) return live ? <sup key={key} class='markdown-note'>{/^\d{1,3}$/.test(label) ? label : '*'}</sup> : raw
  const target = `${idPrefix}note-${number}`
  return (
    <sup key={key}>
      <button
        type='button' class='markdown-note' id={`${idPrefix}ref-${number}`}
        aria-label={words.value.markdown.footnote(String(number))}
        onClick={() => onNote(target)}
      >
        {number}
      </button>
    </sup>
  )
}

function drawList ({ ordered, start, items }: Tokens.List, context: DrawContext, depth: number, key: number): VNode {
  const drawn = items.map((item, at) => atTop(context, depth, `${key} ${at} ${item.loose} ${item.raw}`, () => drawItem(item, at)))
  const dir = directionOf(items[0]?.text ?? '')
  return ordered
    ? <ol key={key} dir={dir} start={start === '' || start === 1 ? undefined : start}>{drawn}</ol>
    : <ul key={key} dir={dir}>{drawn}</ul>

  function drawItem (item: Tokens.ListItem, at: number): VNode {
    const content = draw(item.tokens, context, depth + 1)
    const dir = directionOf(item.text)
    if (!item.task) return <li key={at} dir={dir}>{content}</li>
    const { done, notDone } = words.value.markdown
    return (
      <li key={at} dir={dir} class='markdown-task'>
        <input type='checkbox' checked={item.checked === true} disabled aria-label={item.checked === true ? done : notDone} />
        <div>{content}</div>
      </li>
    )
  }
}

/** Draws an item at the top level from the cache, and any other item again. */
const atTop = ({ drawnLast }: DrawContext, depth: number, key: string, draw: () => VNode): VNode => drawnLast === undefined || depth > 1
  ? draw()
  : drawnLast.get(key, draw)

function drawTable ({ header, rows, align }: Tokens.Table, context: DrawContext, depth: number, key: number): VNode {
  const within = (tokens: readonly Token[]) => draw(tokens, context, depth)
  const aligned = (at: number) => align[at] === null || align[at] === 'left' ? undefined : `markdown-${align[at]}`
  return (
    <div key={key} class='markdown-table' role='region' tabIndex={0} aria-label={words.value.markdown.table}>
      <table dir={directionOf(header.map(({ text }) => text).join(' '))}>
        <thead>
          <tr>{header.map(({ tokens }, at) => <th key={at} scope='col' dir='auto' class={aligned(at)}>{within(tokens)}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, line) => atTop(context, depth, `${key} ${line} ${row.map(({ text }) => text).join('|')}`, () => (
            <tr key={line}>{row.map(({ tokens }, at) => <td key={at} dir='auto' class={aligned(at)}>{within(tokens)}</td>)}</tr>
          )))}
        </tbody>
      </table>
    </div>
  )
}
