import { type DeedCode } from '../../../reasons/index.js'
import { sayWith } from '../../../reasons/say.js'
import { type Approval } from '../core/conversation/prompts.js'
import { language, screenWords } from '../words/index.js'
import { subjectOf } from './describe.js'
import { hiddenIn, partsOf, type TextPart } from './folding.js'

type Said = Parameters<typeof sayWith>[1]

/** What the title of a card and the thing itself say already. */
const told: Readonly<Record<DeedCode, true>> = {
  change_memory: true, change_schedules: true, fetch: true, read_files: true, run_command: true, run_command_in: true, save_skill: true,
  use_mcp_tool: true, use_tool: true, write_files: true
}

/**
 * Says in the language of the app what there is to know of a call beside its title, with what the card hides hidden; null where the service
 * sends no codes, or one that this version of the app does not know: its own sentence is shown then.
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

/** Around the number of a hidden word: characters that no text of a card has, as the service shows signs in their places. */
const [opens, closes] = ['\ufffa', '\ufffb']
const anyMark = /[\ufffa\ufffb]/g

/** The reason with marks for what is hidden in what it names. The app's own words hide nothing, whatever a credential is like. */
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
