import { type Static } from '@sinclair/typebox'
import { type OutlineEntry } from '../../../schemas/sessions.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { fieldsOf } from '../../ground/fields.js'
import { headingText } from '../../ground/text/heading.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { textOf } from './message-text.js'
import { previewOf } from './preview.js'

export type OutlineItem = Static<typeof OutlineEntry>

/** A row of a transcript, the message as JSON text. */
export interface OutlineRow { position: number, body: string }

/** More than anybody looks through; for longer conversations the last ones are returned. */
const mostItems = 2_000
const mostHeadings = 40
const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}(#{1,3})[ \t]+(\S.*)$/

/**
 * Returns the outline of a conversation, from its beginning on: the messages of people, and the headings of answers that have several.
 * `rows` come the last first. `isCut`: entries before the first item were left out.
 */
export async function outlineOf (
  rows: Iterable<OutlineRow> | AsyncIterable<OutlineRow>, { masked }: { masked: boolean }
): Promise<{ items: OutlineItem[], isCut: boolean }> {
  const found: OutlineItem[][] = []
  const pace = createPace()
  let count = 0
  for await (const { position, body } of rows) {
    const items = itemsOf(position, body, masked)
    if (count + items.length > mostItems) return { items: found.reverse().flat(), isCut: true }
    count += items.length
    found.push(items)
    await pace()
  }
  return { items: found.reverse().flat(), isCut: false }
}

/** `masked`: credentials are masked here, because the rows are not masked. */
function itemsOf (index: number, body: string, masked: boolean): OutlineItem[] {
  const parsed = fieldsOf(JSON.parse(body))
  const { role, content, attachments, timestamp, _source: source } = masked ? redactDeep(parsed) : parsed
  const common = { index, source: typeof source === 'string' ? source : null, timestamp: typeof timestamp === 'number' ? timestamp : null }
  if (role === 'user') return [{ ...common, kind: 'message', level: 0, text: previewOf(textOf(content)) ?? namesOf(attachments) }]
  if (role !== 'assistant') return []
  const headings = headingsOf(textOf(content))
  return headings.length < 2 ? [] : headings.map(({ level, text }) => ({ ...common, kind: 'heading' as const, level, text }))
}

/** Returns the headings of the first three levels, outside of code blocks. */
export function headingsOf (text: string): Array<{ level: number, text: string }> {
  const headings: Array<{ level: number, text: string }> = []
  let open: string | null = null
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1]
    if (mark !== undefined && open === null) open = mark
    else if (mark !== undefined && open !== null && mark.startsWith(open) && line.trim() === mark) open = null
    if (mark !== undefined || open !== null) continue
    const [, marks, said] = heading.exec(line) ?? []
    const shown = said === undefined ? null : previewOf(headingText(said))
    if (marks !== undefined && shown !== null) headings.push({ level: marks.length, text: shown })
    if (headings.length === mostHeadings) break
  }
  return headings
}

/** For a message that has only files. */
function namesOf (attachments: unknown): string {
  if (!Array.isArray(attachments)) return ''
  const names = attachments.map((one: unknown) => typeof one === 'string' ? one : fieldsOf(one).name)
  return names.filter((name) => typeof name === 'string').join(', ').slice(0, 120)
}
