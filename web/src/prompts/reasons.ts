import { type ActionCode } from '../../../reasons/index.js'
import { sayWith } from '../../../reasons/say.js'
import { type Approval } from '../core/conversation/prompts.js'
import { language, screenWords } from '../words/index.js'
import { subjectOf } from './describe.js'
import { hiddenIn, partsOf, type TextPart } from './folding.js'

type Said = Parameters<typeof sayWith>[1]

/** Reasons that the title and the content of a card already express. */
const told: Readonly<Record<ActionCode, true>> = {
  change_memory: true, change_schedules: true, fetch: true, read_files: true, run_command: true, run_command_in: true, save_skill: true,
  use_mcp_tool: true, use_tool: true, write_files: true
}

/**
 * Describes a call beyond its title in the app's language, with the card's hidden texts hidden. Returns null if the service sends no codes,
 * or one that this version of the app does not know; then the service's own sentence is shown.
 */
export function saidOf (approval: Approval): TextPart[] | null {
  const { reasons } = approval
  const texts = screenWords.value.reasons
  if (reasons === undefined) return null
  const isAsked = subjectOf(approval).kind === 'readOutside'
  const news = reasons.filter(({ code }) => !Object.hasOwn(told, code) && !(isAsked && code === 'reads_outside'))
  if (![...news, ...news.flatMap(({ details = [] }) => details)].every(({ code }) => Object.hasOwn(texts, code))) return null
  const between = language.value === 'zh' || language.value === 'ja' ? '' : ' '
  const hidden = hiddenIn([...partsOf(approval, 'description', approval.description), ...partsOf(approval, 'command', approval.command)])
  return marked(news.map((reason) => sayWith(texts, withMarks(reason, hidden))).join(between), hidden)
}

/** Returns the sentence of a code in the app's language; null if this version of the app does not know the code. */
export function saidIn (reason: Said): string | null {
  const texts = screenWords.value.reasons
  return Object.hasOwn(texts, reason.code) ? sayWith(texts, reason) : null
}

/** Characters around the number of a hidden word. No text of a card contains them, because the service replaces such characters. */
const [opens, closes] = ['\ufffa', '\ufffb']
const anyMark = /[\ufffa\ufffb]/g

/**
 * Returns a reason with marks in place of hidden texts in its parameters. The app's own words are never hidden, even if a credential is
 * equal to one of them.
 */
function withMarks ({ code, params, details = [] }: Said, hidden: readonly string[]): Said {
  const mark = (text: string): string => hidden.reduce(
    (marked, word, at) => marked.split(/(\ufffa\d+\ufffb)/).map((piece) => piece.startsWith(opens)
      ? piece
      : piece.replaceAll(word, `${opens}${at}${closes}`)).join(''), text.replaceAll(anyMark, ''))
  return {
    code, params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? mark(value) : value])),
    details: details.map((detail) => withMarks(detail, hidden))
  }
}

/** Splits a text at its marks. */
const marked = (text: string, hidden: readonly string[]): TextPart[] => text.split(/\ufffa(\d+)\ufffb/).flatMap((piece, at): TextPart[] => {
  if (at % 2 === 0) return piece === '' ? [] : [{ text: piece, kind: 'plain', chars: piece.length }]
  const word = hidden[Number(piece)] ?? ''
  return [{ text: word, kind: 'folded', chars: word.length }]
})
