import { type DeedCode } from '../../../reasons/index.js'
import { sayWith } from '../../../reasons/say.js'
import { type Approval } from '../core/conversation/prompts.js'
import { language, screenWords } from '../words/index.js'
import { subjectOf } from './describe.js'
import { hiddenIn, partsOf, type TextPart } from './folding.js'

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
  return foldedIn(approval, news.map((reason) => sayWith(texts, reason)).join(between))
}

/** Splits what the app says of a card, in which what is hidden in the description is hidden as well. */
function foldedIn (approval: Approval, text: string): TextPart[] {
  const hidden = hiddenIn([...partsOf(approval, 'description', approval.description), ...partsOf(approval, 'command', approval.command)])
  return hidden.reduce<TextPart[]>((parts, word) => parts.flatMap((part) => part.kind === 'plain' ? splitAt(part.text, word) : [part]),
    text === '' ? [] : [plain(text)])
}

const plain = (text: string): TextPart => ({ text, kind: 'plain', chars: text.length })

const splitAt = (text: string, word: string): TextPart[] => text.split(word).flatMap((piece, at): TextPart[] => [
  ...at === 0 ? [] : [{ text: word, kind: 'folded', chars: word.length } as const], ...piece === '' ? [] : [plain(piece)]
])
