import { isRecord } from '../service/records.js'

/** A result of a cell. `picture`: an address with the bytes in it. */
export type CellOutput = { kind: 'text' | 'error', text: string } | { kind: 'picture', source: string } | { kind: 'hidden', type: string }

export interface NotebookCell {
  kind: 'markdown' | 'code' | 'raw'
  text: string
  /** The number of its last run; null if it has not run. */
  count: number | null
  outputs: readonly CellOutput[]
}

export interface Notebook {
  /** The highlighter's name of the language, such as `python`; empty if the notebook names none. */
  language: string
  cells: readonly NotebookCell[]
}

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
// eslint-disable-next-line no-control-regex -- colours of terminals begin with one
const colours = /\u001b\[[\d;]*[A-Za-z]/g

/** Parses a Jupyter notebook (format 4). Returns null if the text is not one, or has another format. */
export function parseNotebook (text: string): Notebook | null {
  const read = parsed(text)
  if (!isRecord(read) || !Array.isArray(read.cells)) return null
  return { language: languageOf(read.metadata), cells: read.cells.filter(isRecord).map(cellOf) }
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function languageOf (metadata: unknown): string {
  const { language_info: language, kernelspec: kernel } = isRecord(metadata) ? metadata : {}
  const named = [isRecord(language) ? language.name : null, isRecord(kernel) ? kernel.language : null]
  return named.find((name) => typeof name === 'string')?.toLowerCase() ?? ''
}

function cellOf ({ cell_type: type, source, execution_count: count, outputs }: Readonly<Record<string, unknown>>): NotebookCell {
  return {
    kind: type === 'markdown' || type === 'code' ? type : 'raw',
    text: textOf(source),
    count: typeof count === 'number' ? count : null,
    outputs: Array.isArray(outputs) ? outputs.filter(isRecord).map(outputOf) : []
  }
}

function outputOf (output: Readonly<Record<string, unknown>>): CellOutput {
  if (output.output_type === 'stream') return { kind: 'text', text: textOf(output.text).replaceAll(colours, '') }
  if (output.output_type === 'error') {
    const traceback = Array.isArray(output.traceback) ? output.traceback.filter((line) => typeof line === 'string').join('\n') : ''
    return { kind: 'error', text: (traceback === '' ? `${textOf(output.ename)}: ${textOf(output.evalue)}` : traceback).replaceAll(colours, '') }
  }
  const data = isRecord(output.data) ? output.data : {}
  const picture = pictures.find((type) => typeof data[type] === 'string' || Array.isArray(data[type]))
  if (picture !== undefined) return { kind: 'picture', source: `data:${picture};base64,${textOf(data[picture]).replaceAll(/\s/g, '')}` }
  if (data['image/svg+xml'] !== undefined) {
    return { kind: 'picture', source: `data:image/svg+xml,${encodeURIComponent(textOf(data['image/svg+xml']))}` }
  }
  if (data['text/plain'] !== undefined) return { kind: 'text', text: textOf(data['text/plain']).replaceAll(colours, '') }
  return { kind: 'hidden', type: Object.keys(data)[0] ?? '' }
}

/** Texts are strings, or lists of lines that include their line breaks. */
const textOf = (text: unknown): string =>
  typeof text === 'string' ? text : Array.isArray(text) ? text.filter((line) => typeof line === 'string').join('') : ''
