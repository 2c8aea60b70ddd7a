import { type Cell } from './kinds.js'
import { Unreadable } from './unreadable.js'
import { mostColumns, mostRows, mostSheets, Room, type Workbook } from './xlsx.js'
import { attributeOf, tokensOf, type XmlToken } from './xml-text.js'

const mostChars = 1_000_000
const mostSlides = 500
/** Elements that are not part of the text: deletions, comments, speaker notes, forms, and descriptions of drawings. */
const passedOver = new Set(['text:tracked-changes', 'office:annotation', 'presentation:notes', 'office:forms', 'svg:title', 'svg:desc'])
const mostSpaces = 1_000

/** Returns the text of an OpenDocument text: one line per paragraph, and tabs between table cells. Throws Unreadable. */
export function odtText (parts: Map<string, Buffer>): { text: string, isTruncated: boolean } {
  const lines: string[] = []
  let [chars, cell] = [0, null as string[] | null]
  for (const { kind, text } of paragraphs(parts, 'office:text')) {
    if (kind === 'cell') (cell ??= []).push('')
    else if (kind === 'row') {
      if (cell !== null) lines.push(cell.join('\t').trimEnd())
      cell = null
    } else if (kind === 'text' && cell !== null) cell.push([cell.pop(), text].filter(Boolean).join(' '))
    else if (kind === 'text') lines.push(text)
    if ((chars += text.length + 1) > mostChars) return { text: lines.join('\n'), isTruncated: true }
  }
  return { text: lines.join('\n').trimEnd(), isTruncated: false }
}

/** Returns the text of each slide, in the order in which they are shown. Throws Unreadable. */
export function odpSlides (parts: Map<string, Buffer>): { slides: string[], isTruncated: boolean } {
  const slides: string[][] = []
  let chars = 0
  for (const { kind, text } of paragraphs(parts, 'office:presentation')) {
    if (kind === 'page') slides.push([])
    else if (kind === 'text' && text.trim() !== '') slides.at(-1)?.push(text)
    if (slides.length > mostSlides || (chars += text.length) > mostChars) {
      return { slides: slides.slice(0, mostSlides).map((lines) => lines.join('\n')), isTruncated: true }
    }
  }
  return { slides: slides.map((lines) => lines.join('\n')), isTruncated: false }
}

/** Returns the sheets of a workbook, each from its first row. The repetition of rows and cells is limited. Throws Unreadable. */
export function odsSheets (parts: Map<string, Buffer>): Workbook {
  const sheets: Workbook['sheets'] = []
  const room = new Room()
  let [row, value, cellTimes, emptyRows] = [[] as Cell[], null as Cell, 1, 0]
  for (const { kind, text, attributes } of paragraphs(parts, 'office:spreadsheet')) {
    const sheet = sheets.at(-1)
    if (kind === 'table') {
      if (sheets.length === mostSheets) return { sheets, isTruncated: true }
      sheets.push({ name: attributeOf(attributes, 'table:name') ?? '', rows: [] })
      emptyRows = 0
    } else if (kind === 'cell') {
      value = valueOf(attributes)
      cellTimes = timesOf(attributes, 'table:number-columns-repeated')
    } else if (kind === 'text') value = typeof value === 'string' && value !== '' ? `${value}\n${text}` : value ?? text
    else if (kind === 'cellEnd') {
      for (let times = Math.min(cellTimes, mostColumns - row.length); times > 0; times--) row.push(value)
      value = null
    } else if (kind === 'row' && sheet !== undefined) {
      while (row.length > 0 && row.at(-1) === null) row.pop()
      const times = timesOf(attributes, 'table:number-rows-repeated')
      if (row.length === 0) emptyRows += times
      else {
        for (let left = Math.min(emptyRows + times, mostRows + 1); left > 0; left--, emptyRows--) {
          const next = emptyRows > 0 ? [] : row
          if (sheet.rows.length === mostRows || !room.has(next)) return { sheets, isTruncated: true }
          sheet.rows.push(next)
        }
        emptyRows = 0
      }
      row = []
    }
  }
  return { sheets, isTruncated: false }
}

const timesOf = (attributes: string, name: string): number => Math.max(1, Math.floor(Number(attributeOf(attributes, name) ?? 1)) || 1)

function valueOf (attributes: string): Cell {
  const type = attributeOf(attributes, 'office:value-type')
  if (type === 'boolean') return attributeOf(attributes, 'office:boolean-value') === 'true'
  if (type !== 'float' && type !== 'percentage' && type !== 'currency') return null
  const number = Number(attributeOf(attributes, 'office:value') ?? NaN)
  return Number.isFinite(number) ? number : null
}

/** A paragraph, or the beginning of an element. `row`, with the attributes of its tag, and `cellEnd` come at the end of their elements. */
interface Piece { kind: 'text' | 'page' | 'table' | 'row' | 'cell' | 'cellEnd', text: string, attributes: string }

const beginnings = { 'draw:page': 'page', 'table:table': 'table', 'table:table-cell': 'cell', 'table:covered-table-cell': 'cell' } as const
const beginningOf = (name: string): Piece['kind'] | null => Object.entries(beginnings).find(([of]) => of === name)?.[1] ?? null

/** Yields the contents of a document's body, in order. Throws Unreadable if the document has no body of this kind. */
function * paragraphs (parts: Map<string, Buffer>, body: string): Generator<Piece> {
  const xml = parts.get('content.xml')?.toString() ?? ''
  if (!xml.includes(`<${body}`)) throw new Unreadable('The document is damaged, or not what its name says')
  let [isInside, skipped, depth, line, rowAttributes] = [false, null as string | null, 0, '', '']
  for (const token of tokensOf(xml)) {
    if (token.kind === 'open' && token.name === body) isInside = true
    if (!isInside) continue
    if (skipped !== null) {
      if (token.kind === 'close' && token.name === skipped) skipped = null
    } else if (token.kind === 'text') {
      if (depth > 0 && line.length < mostChars) line += token.text.replaceAll(/\s+/g, ' ')
    } else if (token.kind === 'open') {
      const { name, attributes, isEmpty } = token
      const kind = beginningOf(name)
      if (passedOver.has(name)) skipped = isEmpty ? null : name
      else if (isParagraph(name) && !isEmpty) depth++
      else if (isParagraph(name)) yield { kind: 'text', text: '', attributes: '' }
      else if (name === 'table:table-row') rowAttributes = attributes
      else if (kind !== null) {
        yield { kind, text: '', attributes }
        if (kind === 'cell' && isEmpty) yield { kind: 'cellEnd', text: '', attributes: '' }
      } else if (depth > 0 && line.length < mostChars) line += blankOf(token)
    } else if (isParagraph(token.name) && depth > 0) {
      if (--depth > 0) continue
      yield { kind: 'text', text: line, attributes: '' }
      line = ''
    } else if (token.name === 'table:table-row') yield { kind: 'row', text: '', attributes: rowAttributes }
    else if (beginningOf(token.name) === 'cell') yield { kind: 'cellEnd', text: '', attributes: '' }
    else if (token.name === body) return
  }
}

const isParagraph = (name: string): boolean => name === 'text:p' || name === 'text:h'

function blankOf ({ name, attributes }: Extract<XmlToken, { kind: 'open' }>): string {
  if (name === 'text:s') return ' '.repeat(Math.min(timesOf(attributes, 'text:c'), mostSpaces))
  return name === 'text:tab' ? '\t' : name === 'text:line-break' ? '\n' : ''
}
