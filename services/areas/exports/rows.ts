import { html, type Markup } from './markup.js'
import { said } from './page-texts.js'
import { type PageWord } from '../../ground/languages/index.js'
import { image, preformatted, type RenderMarkdown } from './markdown.js'
import { createTimes, duration, type ShowTime } from './times.js'
import { readRow, type Call, type Piece, type Result, type Row } from './wire.js'

const previewChars = 120
const telling = ['command', 'path', 'file_path', 'pattern', 'question', 'url', 'query']
const markOfSource = new Map<string, PageWord>([['steer', 'steer'], ['goal', 'goal'], ['cron', 'scheduled'], ['process_wakeup', 'woken']])

/**
 * Writes the messages of a page in order. A tool's card stands where its result is, and shows the arguments of its call; a call without a
 * result gets its card before the next message that is not from a tool.
 */
export class Rows {
  readonly #markdown: RenderMarkdown
  readonly #time: ShowTime = createTimes()
  /** Calls without a result so far. */
  readonly #open = new Map<string, Call>()
  /** Calls without a result whose cards have already been written. */
  readonly #abandoned = new Map<string, Call>()

  constructor (markdown: RenderMarkdown) {
    this.#markdown = markdown
  }

  /** Renders a message as HTML; empty for one that is not shown. `maxChars`: how much of its text may be shown. */
  async add (message: unknown, maxChars: number): Promise<Markup> {
    const row = readRow(message, maxChars)
    if (row === null) return html``
    const note = row.isShortened ? shortened : null
    if (row.kind === 'assistant') {
      const left = this.end()
      const article = await this.#article(row)
      row.calls.forEach((call, index) => this.#open.set(call.id || `call ${index}`, call))
      return html`${left}${article}${this.#cards(row)}${note}`
    }
    if (isOnlyResults(row)) return html`${this.#cards(row, this.#time(row.timestampS))}${note}`
    // Results that come with other content belong to the previous message.
    return html`${this.#cards(row)}${this.end()}${await this.#article(row)}${note}`
  }

  /** Renders cards for the calls that still have no result. */
  end (): Markup {
    const cards = [...this.#open.values()].map((call) => card(call, null, null))
    for (const [id, call] of this.#open) this.#abandoned.set(id, call)
    this.#open.clear()
    return html`${cards}`
  }

  #cards ({ results }: Row, time: Markup | null = null): Markup[] {
    return results.map((result, index) => card(this.#callOf(result), result, index === 0 ? time : null))
  }

  /** Returns the call of a result: the one with its id, or without an id, the first one of that name. */
  #callOf ({ callId, name }: Result): Call | undefined {
    const key = callId !== '' ? callId : [...this.#open].find(([, call]) => call.name === name)?.[0] ?? ''
    const call = this.#open.get(key) ?? this.#abandoned.get(key)
    this.#open.delete(key)
    this.#abandoned.delete(key)
    return call
  }

  async #article (row: Row): Promise<Markup> {
    const facts = [row.model, row.durationS === null ? '' : duration(row.durationS)].filter((fact) => fact !== '')
    const marks = [row.isPartial ? 'partial' as const : undefined, markOfSource.get(row.source)].filter((mark) => mark !== undefined)
    return html`<article class="row ${row.kind}${row.isError ? ' error' : ''}">
<header><h2>${label(row)}</h2>${row.isError
  ? html`<span class="flag">${said('error')}</span>`
  : null}${this.#time(row.timestampS)}${facts.map((fact) => html`<span><bdi>${fact}</bdi></span>`)}</header>
${row.reasoning === '' ? null : folded(said('reasoning'), 'reasoning', plain(row.reasoning))}${await this.#pieces(row)}
${row.attachments.length === 0
  ? null
  : html`<ul class="attachments" aria-label="Attachments">${row.attachments.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul>`}
${row.details === null
  ? null
  : folded(row.details.label, 'more', preformatted(row.details.text))}${marks.map((mark) => html`<p class="mark">${said(mark)}</p>`)}
</article>
`
  }

  async #pieces ({ kind, pieces }: Row): Promise<Markup[]> {
    const shown: Markup[] = []
    for (const piece of pieces) {
      if (piece.kind === 'text' && kind === 'assistant' && piece.text.trim() !== '') {
        shown.push(
          html`<div class="text" dir="auto">${await this.#markdown(piece.text)}</div>`
        )
      } else shown.push(plainPiece(piece))
    }
    return shown
  }
}

/** Renders what the model is shown instead of the messages above. */
export async function summaryNote (summary: string, markdown: RenderMarkdown): Promise<Markup> {
  return html`<aside class="divider"><p>${said('summarised')}</p>
${folded(said('summary'), 'summary', html`<div class="text" dir="auto">${await markdown(summary)}</div>`)}</aside>
`
}

const shortened = html`<p class="mark shortened">${said('shortened')}</p>
`

/** Whether a message carries only results of tools, and so is shown as theirs. */
function isOnlyResults ({ kind, results, pieces, attachments }: Row): boolean {
  return kind === 'tool' || (kind === 'user' && results.length > 0 && pieces.length === 0 && attachments.length === 0)
}

function label ({ kind, role }: Row): Markup {
  if (kind === 'user') return said('you')
  if (kind === 'assistant') return said('assistant')
  return role === '' ? said('message') : html`<bdi>${role}</bdi>`
}

function folded (title: Markup | string, look: string, content: Markup): Markup {
  return html`<details class="${look}"><summary>${title}</summary>${content}</details>`
}

function plain (text: string): Markup {
  return html`<div class="text plain" dir="auto">${text}</div>`
}

function plainPiece (piece: Piece): Markup {
  switch (piece.kind) {
    case 'text': return piece.text.trim() === '' ? html`` : plain(piece.text)
    case 'image': return html`<p class="picture">${image(piece.address, '')}</p>`
    case 'note': return html`<p class="mark">${piece.label}${piece.name === '' ? null : html` <bdi>${piece.name}</bdi>`}</p>`
  }
}

function card (call: Call | undefined, result: Result | null, time: Markup | null): Markup {
  const state = result === null ? 'noResult' : result.isError ? 'failed' : 'done'
  const took = result === null || result.durationS === null ? null : html`<span class="duration">${duration(result.durationS)}</span>`
  const preview = call === undefined ? '' : previewOf(call)
  return html`<article class="row tool ${state === 'done' ? 'done' : 'failed'}">
<details><summary><h2>${said('tool')}</h2><span class="name"><bdi>${call?.name ?? result?.name}</bdi></span><span class="preview"><bdi>${preview}</bdi></span>${took}${time}<span class="state">${said(state)}</span></summary>
${call === undefined ? null : argumentsOf(call)}
${result === null
  ? null
  : html`<h3>${said('result')}</h3>${result.pieces.length === 0 ? html`<p class="mark">${said('nothing')}</p>` : result.pieces.map(resultPiece)}`}
</details></article>
`
}

function resultPiece (piece: Piece): Markup {
  return piece.kind === 'text' ? preformatted(piece.text === '' ? '(nothing)' : piece.text) : plainPiece(piece)
}

function argumentsOf ({ args }: Call): Markup | null {
  if (args.length === 0) return null
  if (typeof args === 'string') return html`<h3>${said('arguments')}</h3>${preformatted(args)}`
  return html`<h3>${said('arguments')}</h3><dl>${args.map(([name, value]) => html`<dt><bdi>${name}</bdi></dt><dd>${preformatted(value)}</dd>`)}</dl>`
}

function previewOf ({ args }: Call): string {
  if (typeof args === 'string') return args.slice(0, previewChars)
  const byName = new Map(args)
  const found = telling.find((name) => byName.has(name))
  return ((found === undefined ? args[0]?.[1] : byName.get(found)) ?? '').slice(0, previewChars)
}
