import { createMarkdown } from './markdown.js'
import { html, Markup, printable } from './markup.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { paletteDeclarations } from './palette.js'
import { said } from './page-texts.js'
import { Rows, summaryNote } from './rows.js'
import { pageStyle, type Theme } from './style.js'
import { fullTime } from './times.js'
import { isCounted } from './wire.js'

/** What the page shows of a session: keys of the interface's session object, times in epoch seconds. */
export interface PageSession {
  session_id: string
  title: string
  model?: string | null
  created_at?: number | null
  updated_at?: number | null
  message_count?: number
  /** What the model is shown instead of the messages up to one, and the index of that message among those that are not from tools. */
  compression_anchor_summary?: string | null
  compression_anchor_visible_idx?: number | null
}

export interface PageOptions {
  /** Default: the setting of the reader's device. */
  theme?: Theme
  /** Base64 of a JSON object of at most 64 CSS variables. */
  palette?: string
  /** A line below the title that replaces the facts about the session. */
  notice?: string
}

const stretchMs = 8
const chunkChars = 65_536
const titleChars = 500
const messageChars = 1_000_000
/** Beyond this, the page shows only that a message exists. */
const pageChars = 50_000_000

const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

type Messages = Iterable<unknown> | AsyncIterable<unknown>

/** Returns the whole page as text in pieces; see `sessionPageChunks`. */
export async function sessionPage (session: PageSession, messages: Messages, options: PageOptions = {}): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for await (const chunk of sessionPageChunks(session, messages, options)) pieces.push(Buffer.from(chunk))
  return pieces
}

/**
 * Writes a session as one self-contained HTML page: no script, no address that is loaded. Shows every row except those of the role
 * `system`. Other work gets its turn about every 10 ms, so `messages` must not be a running statement of the database; it is read while the
 * page is written. Throws Invalid for an invalid palette, before anything is read.
 */
export function sessionPageChunks (
  session: PageSession, messages: Messages, { theme, palette = '', notice }: PageOptions = {}
): AsyncGenerator<string> {
  const style = pageStyle(theme, palette.trim() === '' ? '' : paletteDeclarations(palette))
  return inChunks(parts(session, messages, { style, notice }))
}

async function * inChunks (parts: AsyncIterable<Markup>): AsyncGenerator<string> {
  let chunk = ''
  for await (const { source } of parts) {
    chunk += printable(source)
    if (chunk.length < chunkChars) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

async function * parts (
  session: PageSession, messages: Messages, { style, notice }: { style: string, notice?: string }
): AsyncGenerator<Markup> {
  yield head(session, style)
  yield opening(session, notice)
  const pace = createPace(stretchMs)
  const markdown = await createMarkdown(pace)
  const rows = new Rows(markdown)
  const lastSummarised = session.compression_anchor_visible_idx ?? null
  let summary = session.compression_anchor_summary?.slice(0, messageChars) ?? ''
  let countedMessages = 0
  let isEmpty = true
  let leftChars = pageChars
  for await (const message of messages) {
    await pace()
    if (isCounted(message)) {
      // Rows of tools still belong to the last message that the summary covers.
      if (summary !== '' && lastSummarised !== null && countedMessages === lastSummarised + 1) {
        yield html`${rows.end()}${await summaryNote(summary, markdown)}`
        summary = ''
      }
      countedMessages++
    }
    const row = await rows.add(message, Math.min(messageChars, leftChars))
    leftChars = Math.max(0, leftChars - row.source.length)
    isEmpty &&= row.source === ''
    yield row
  }
  yield rows.end()
  if (summary !== '') yield await summaryNote(summary, markdown)
  yield html`${isEmpty ? html`<p class="mark">${said('empty')}</p>` : null}
</main>
</body>
</html>
`
}

function head ({ title }: PageSession, style: string): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(contentSecurityPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title.slice(0, titleChars)}</title>
<style>
${new Markup(style)}
</style>
</head>
<body>
`
}

function opening (
  { title, model = null, created_at: createdAt, updated_at: updatedAt, message_count: count }: PageSession, notice: string | undefined
): Markup {
  const created = fullTime(createdAt)
  const updated = updatedAt === createdAt ? null : fullTime(updatedAt)
  const facts = [
    model === null || model === '' ? null : html`<bdi>${model}</bdi>`,
    count === undefined ? null : html`${count === 1 ? '1 message' : `${count} messages`}`,
    created === null ? null : html`started ${created}`,
    updated === null ? null : html`last changed ${updated}`
  ].filter((fact) => fact !== null)
  return html`<header class="opening">
<h1 dir="auto">${title.slice(0, titleChars)}</h1>
${notice === undefined || notice === '' ? html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>` : html`<p class="notice" dir="auto">${notice}</p>`}
</header>
<main>
`
}
