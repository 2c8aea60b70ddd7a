import { type ComponentChildren, type VNode } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { type Token } from 'marked'
import { language, words } from '../words/index.js'
import { Blocks, codeOf, labelOf, type Block, type Definitions } from './blocks.js'
import { Code } from './Code.js'
import { draw, DrawnLast, type DrawContext } from './draw.js'
import { lex } from './lex.js'
import { withoutOpenEnd, withoutOpenReferences } from './open-ends.js'
import './markdown.css'

export interface MarkdownProps {
  text: string
  /** Whether it is still being written: only its end is parsed again, and open marks there are closed for display. */
  live?: boolean
  /**
   * Called for links to files: text that looks like a file of the workspace becomes a link. Pass a stable function, or everything is
   * redrawn.
   */
  onFile?: (path: string, line: number | null) => void
  /** The level of its first headings: one below that of the heading above it. */
  headingLevel?: number
  class?: string
}

/** In longer ends, open marks are not closed: doing so for every piece would take too long. */
const maxMended = 20_000

/** Shows a text in Markdown. Finished blocks are drawn once and never parsed again. */
export function Markdown ({ text, live = false, onFile, headingLevel = 2, class: className }: MarkdownProps) {
  const idPrefix = `${useId()}-`
  const splitter = useRef<Blocks>()
  // Until its code is loaded, open marks are shown as written.
  useEffect(() => { if (live) loadMending().catch(() => {}) }, [live])
  splitter.current ??= new Blocks()
  const blocks = splitter.current.update(text, !live)
  const { definitions } = splitter.current
  const numbers = useRef(new Map<string, number>())
  numberNotes(numbers.current, text, definitions)
  // Another function or language redraws everything. So does the end of a text with notes or references, because closed blocks then show
  // what they held back.
  const drawn = useMemo(() => new WeakMap<Block, VNode>(), [onFile, language.value, live && /\[\^|\]\[/.test(text)])
  const origin = globalThis.location?.origin ?? ''
  const onNote = (id: string) => {
    const target = document.getElementById(id)
    target?.scrollIntoView({ block: 'nearest' })
    target?.focus({ preventScroll: true })
  }
  const open = blocks.at(-1)
  const drawnLast = useMemo(() => new DrawnLast(), [drawn, open?.key, open?.refs])
  const context: DrawContext = { idPrefix, notes: numbers.current, origin, headingLevel, onFile, onNote, live }
  const children = blocks.filter(({ kind }) => kind !== 'footnote').map((block) => {
    const before = drawn.get(block)
    if (before !== undefined) return before
    const vnode = (
      <div key={block.key} class='markdown-block'>
        {drawBlock(block, definitions, block.closed ? context : { ...context, drawnLast }, live)}
      </div>
    )
    if (block.closed) drawn.set(block, vnode)
    return vnode
  })
  drawnLast.turn()
  return (
    <div class={['markdown', className].filter(Boolean).join(' ')}>
      {children}
      {numbers.current.size > 0 && <Notes context={context} definitions={definitions} />}
    </div>
  )
}

/** Draws one block. Exported for tests. */
export function drawBlock (block: Block, definitions: Definitions, context: DrawContext, live: boolean): ComponentChildren {
  if (block.kind === 'code') {
    const { code, language, over } = codeOf(block.text)
    return <Code code={code} language={language} closed={block.closed || over} />
  }
  const text = live ? shownWhileLive(block, definitions) : block.text
  const tokens = lex(text, definitions)
  return tokens === null ? <p class='markdown-plain'>{block.text}</p> : draw(withoutSpace(tokens), context)
}

function shownWhileLive ({ text, closed }: Block, { links }: Definitions): string {
  const told = withoutOpenReferences(text, (label) => links.has(labelOf(label)))
  return closed || text.length > maxMended ? told : mended(withoutOpenEnd(told))
}

let close: ((text: string, options: object) => string) | null = null

/** Loads the code that closes open marks of a growing text. */
export async function loadMending (): Promise<void> {
  close ??= (await import('remend')).default
}

/** Closes emphasis, code and links that are open at the end. */
function mended (text: string): string {
  try {
    return close === null ? text : close(text, { linkMode: 'text-only', htmlTags: false, inlineKatex: false, katex: false })
  } catch {
    return text
  }
}

const withoutSpace = (tokens: readonly Token[]): Token[] => tokens.filter(({ type }) => type !== 'space')

/** Numbers footnotes in the order of their first reference. An assigned number never changes. */
function numberNotes (numbers: Map<string, number>, text: string, { footnotes }: Definitions): void {
  if (numbers.size >= footnotes.size) return
  const places = [...footnotes.keys()].filter((label) => !numbers.has(label)).map((label) => ({
    label, at: text.toLowerCase().search(new RegExp(`\\[\\^${escaped(label)}\\](?!:)`))
  }))
  for (const { label, at } of places.toSorted((a, b) => a.at - b.at)) if (at !== -1) numbers.set(label, numbers.size + 1)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function Notes ({ context, definitions }: { context: DrawContext, definitions: Definitions }) {
  const { idPrefix, notes, onNote } = context
  const { footnotes, backToText } = words.value.markdown
  return (
    <section class='markdown-notes' aria-label={footnotes}>
      <ol>
        {[...notes].map(([label, number]) => (
          <li key={label} id={`${idPrefix}note-${number}`} tabIndex={-1}>
            {draw(lex(definitions.footnotes.get(label) ?? '', definitions) ?? [], context)}
            <button type='button' class='markdown-note' aria-label={backToText} onClick={() => onNote(`${idPrefix}ref-${number}`)}>
              ↩
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
