import { type Token, type Tokens } from 'marked'
import { Blocks, codeOf, type Definitions } from './blocks.js'
import { decodeEntities } from './entities.js'
import { lex, type KnownToken } from './lex.js'

export interface PlainTextOptions {
  /** Omits code, images and addresses, for reading aloud. */
  spoken?: boolean
}

/** Returns the text of Markdown without its marks. */
export function plainText (markdown: string, { spoken = false }: PlainTextOptions = {}): string {
  const splitter = new Blocks()
  const blocks = splitter.update(markdown, true)
  const { definitions } = splitter
  const parts = blocks.map(({ kind, text }) => {
    if (kind === 'footnote') return ''
    if (kind === 'code') return spoken ? '' : codeOf(text).code
    const tokens = lex(text, definitions)
    return tokens === null ? (spoken ? '' : text) : blocksText(tokens, spoken, definitions)
  })
  return parts.map((part) => part.trimEnd()).filter((part) => part !== '').join('\n\n')
}

function blocksText (tokens: readonly Token[], spoken: boolean, definitions: Definitions): string {
  return tokens.map((token) => blockText(token as KnownToken, spoken, definitions)).filter((text) => text !== '').join('\n\n')
}

function blockText (token: KnownToken, spoken: boolean, definitions: Definitions): string {
  switch (token.type) {
    case 'space': case 'def': case 'hr': case 'checkbox': return ''
    case 'code': return spoken ? '' : token.text
    case 'blockquote': return blocksText(token.tokens, spoken, definitions)
    case 'list': return listText(token, spoken, definitions)
    case 'table': {
      const { header, rows } = token
      return [header, ...rows].map((row) => row.map(({ tokens }) => lineText(tokens, spoken, definitions)).join(spoken ? ', ' : '\t')).join(
        '\n'
      )
    }
    case 'math': return token.tex
    default: return 'tokens' in token && token.tokens !== undefined ? lineText(token.tokens, spoken, definitions) : token.raw.trim()
  }
}

function listText ({ ordered, start, items }: Tokens.List, spoken: boolean, definitions: Definitions): string {
  return items.map((item, at) => {
    const mark = ordered ? `${Number(start === '' ? 1 : start) + at}. ` : spoken ? '' : '- '
    return mark + blocksText(item.tokens, spoken, definitions).replace(/\n+/g, spoken ? '\n' : '\n  ')
  }).join('\n')
}

function lineText (tokens: readonly Token[], spoken: boolean, definitions: Definitions): string {
  return (tokens as readonly KnownToken[]).map((token) => {
    if (token.type === 'checkbox') return ''
    if (token.type === 'br') return '\n'
    if (token.type === 'image') return token.text
    if (token.type === 'math') return token.tex
    if (token.type === 'note') return definitions.footnotes.has(token.label) ? '' : token.raw
    if (token.type === 'html') return /^<br\s*\/?>$/i.test(token.raw) ? '\n' : spoken ? '' : token.raw
    if ('tokens' in token && token.tokens !== undefined) return lineText(token.tokens, spoken, definitions)
    if (token.type === 'link' && spoken) return ''
    if (token.type === 'codespan' || token.type === 'escape') return token.text
    return decodeEntities(token.type === 'text' && token.escaped !== true ? token.text : token.raw)
  }).join('')
}
