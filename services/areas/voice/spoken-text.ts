import type MarkdownIt from 'markdown-it'
import { once } from '../../ground/concurrency/once.js'
import { wholeAt } from '../../ground/text/whole-characters.js'

type Token = ReturnType<MarkdownIt['parse']>[number]

interface Words { code: string }

interface Parsers { usual: MarkdownIt, withoutTables: MarkdownIt }

/** The parser pads each row of a table to as many cells as its head has; nobody would listen to a wider table. */
const mostColumns = 40

const parsers = once(async (): Promise<Parsers> => {
  // Loaded late, because the service does not need it at its start.
  const { default: Parser } = await import('markdown-it')
  return { usual: new Parser({ html: true }), withoutTables: new Parser({ html: true }).disable('table') }
})

/** Turns Markdown into the text that is read aloud, without waiting. */
export interface SpokenText {
  /**
   * Returns Markdown as it is read aloud: sentences without marks. A block of code is mentioned and not read; of a link its text is read,
   * of a bare address its host, of an image its description, of a table each row with the names of its columns. Text without Markdown stays
   * as it is. The result may be empty.
   */
  whole (markdown: string): string
  /** Does the same for a piece of a paragraph that was cut out of a text: marks whose other half is outside of it are dropped. */
  piece (markdown: string): string
}

export async function loadSpokenText (): Promise<SpokenText> {
  const { usual, withoutTables } = await parsers()
  return {
    whole (markdown) {
      const markup = markdown.split('\n').some((line) => line.split('|').length > mostColumns) ? withoutTables : usual
      return tidy(blocks(markup.parse(markdown, {}), { code: codeMention(/\p{Script=Han}/u.test(markdown)) }))
    },
    piece: (markdown) => tidy([inline(usual.parseInline(markdown, {})[0]?.children ?? []).replaceAll(looseMarks, '')])
  }
}

/** See {@link SpokenText.whole}. */
export const spokenText = async (markdown: string): Promise<string> => (await loadSpokenText()).whole(markdown)

/** Returns the mention of a block of code, in the language of the surrounding text. */
export const codeMention = (isChinese: boolean): string => isChinese ? '代码。' : 'Code block.'

/** Marks of emphasis whose other half is elsewhere. */
const looseMarks = /(?<=^|[\s\p{P}])(?:\*{1,3}|_{1,3}|~~)(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}\p{P}])(?:\*{1,3}|_{1,3}|~~)(?=$|[\s\p{P}])/gu

function blocks (tokens: readonly Token[], words: Words): string[] {
  const said: string[] = []
  let columns: string[] = []
  let row: string[] = []
  let isHead = false
  for (const { type, children } of tokens) {
    if (type === 'fence' || type === 'code_block') said.push(words.code)
    else if (type === 'thead_open') [columns, isHead] = [[], true]
    else if (type === 'thead_close') isHead = false
    else if (type === 'tr_open') row = []
    else if (type === 'th_open' || type === 'td_open') row.push('')
    else if (type === 'tr_close') {
      if (isHead) columns = row
      else said.push(rowSaid(columns, row))
      row = []
    } else if (type === 'inline') {
      const text = inline(children ?? [])
      if (row.length > 0) row[row.length - 1] = text
      else said.push(text)
    }
  }
  return said
}

function rowSaid (columns: readonly string[], cells: readonly string[]): string {
  return cells.map((cell, index) => cell === ''
    ? ''
    : columns[index] === undefined || columns[index] === '' ? cell : `${columns[index]}: ${cell}`).filter((part) => part !== '').join('; ')
}

function inline (tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => {
    if (type === 'text' || type === 'text_special') return bareAddresses(content)
    if (type === 'code_inline') return content
    if (type === 'image') return content
    if (type === 'softbreak') return ' '
    return type === 'hardbreak' ? '\n' : ''
  }).join('')
}

/** Only the host of an address can be understood when it is read aloud. */
function bareAddresses (text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line regexp/no-super-linear-backtracking -- a text that is read aloud has at most 5,000 characters
    /\bhttps?:\/\/(?:www\.)?([\p{L}\p{N}.-]*[\p{L}\p{N}])(?::\d+)?(?:[/?#][^\s<>，。]*?)?(?=[.,;:!?)\]]*(?:\s|$|[<>，。]))/giu, '$1'
  )
}

/** Makes each block a line and a sentence, because engines pause there. */
function tidy (said: readonly string[]): string {
  return said
    .flatMap((block) => block.split('\n'))
    // eslint-disable-next-line no-control-regex -- control characters are what this is about
    .map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replaceAll(/\s+/g, ' ').trim())
    .filter((line) => /[\p{L}\p{N}\p{S}]/u.test(line))
    .map((line) => /[\p{P}]$/u.test(line) ? line : `${line}${/\p{Script=Han}$/u.test(line) ? '。' : '.'}`)
    .join('\n')
}

/**
 * Splits a text into pieces of at most `most` units, behind sentences if possible, else between words. Joined they are the text, except for
 * spaces.
 */
export function piecesOf (text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > most) {
    const window = rest.slice(0, most)
    const sentence = Math.max(...['\n', '. ', '! ', '? ', '。', '！', '？'].map((end) => window.lastIndexOf(end)))
    const cut = sentence >= most / 2
      ? sentence + 1
      : window.lastIndexOf(' ') > most / 2 ? window.lastIndexOf(' ') : wholeAt(rest, most)
    pieces.push(rest.slice(0, cut).trim())
    rest = rest.slice(cut).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}
