import MarkdownIt from 'markdown-it'
import { readdirSync, readFileSync } from 'node:fs'

/** A document of the project, with its code blocks in order. */
export interface Document { path: string, text: string, blocks: Block[] }
export interface Block {
  language: string
  /** The mark after the language: `run` (a test pastes it), `run other` (into a second terminal), `output`, `config`. */
  mark: string
  code: string
  line: number
}

/** Generated documents, which are tested elsewhere. */
const generated = new Set(['docs/performance.md', 'CHANGELOG.md'])

export const readDocument = (path: string): Document => {
  const text = readFileSync(path, 'utf8')
  const blocks = new MarkdownIt().parse(text, {}).filter(({ type }) => type === 'fence').map(({ info, content, map }) => {
    const [language = '', ...marks] = info.split(' ')
    return { language, mark: marks.join(' '), code: content, line: (map?.[0] ?? 0) + 1 }
  })
  return { path, text, blocks }
}

/** Returns everything that a person reads: README.md and the like, and docs. */
export const documents = (): Document[] => [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md'], ...readdirSync('docs').filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
].filter((path) => !generated.has(path)).map(readDocument)
