import { fieldsOf, isRecord } from '../../../ground/fields.js'
import { Unreadable } from './unreadable.js'

// eslint-disable-next-line no-control-regex -- terminal colours begin with one
const colours = /\u001b\[[\d;]*[A-Za-z]/g
/** Most characters of one output: replacing millions of places at once takes more memory than a thread has. */
const mostOutputChars = 1_000_000

/** Returns a Jupyter notebook (format 4) as text: its cells, each with the output of its last run. Throws Unreadable. */
export function notebookText (json: string): string {
  const { cells } = fieldsOf(parsed(json))
  if (!Array.isArray(cells)) throw new Unreadable('The notebook is damaged, or of an old format')
  return cells.filter(isRecord).map(({ cell_type: type, source, outputs }, at) => {
    const printed = Array.isArray(outputs) ? outputs.filter(isRecord).map(outputText).filter((text) => text !== '') : []
    return [`# Cell ${at + 1}${type === 'code' ? '' : `, ${String(type)}`}`, textOf(source), ...printed.length === 0 ? [] : ['## Output', ...printed]].join('\n')
  }).join('\n\n')
}

const plain = (output: string): string => output.slice(0, mostOutputChars).replaceAll(colours, '').trimEnd()

function outputText ({ output_type: type, text: printed, ename, evalue, traceback, data }: Readonly<Record<string, unknown>>): string {
  if (type === 'stream') return plain(textOf(printed))
  if (type === 'error') return plain(Array.isArray(traceback) ? textOf(traceback.map((line) => `${String(line)}\n`)) : `${String(ename)}: ${String(evalue)}`)
  const forms = fieldsOf(data)
  const other = Object.keys(forms).find((form) => form !== 'text/plain')
  const text = plain(textOf(forms['text/plain']))
  return [...text === '' ? [] : [text], ...other === undefined ? [] : [`[${other}]`]].join('\n')
}

/** Texts are strings, or lists of lines including their line breaks. */
const textOf = (text: unknown): string =>
  typeof text === 'string' ? text : Array.isArray(text) ? text.filter((line) => typeof line === 'string').join('') : ''

function parsed (json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Unreadable('The notebook is damaged, or of an old format')
  }
}
