import { isInstructionFile } from '../../agent/index.js'
import { type ApprovalAsk } from '../../agent/protocol.js'
import { cardPage } from '../../ground/redaction/index.js'
import { visible, withoutGaps } from '../../ground/text/visible.js'
import { type FieldMask } from './showing.js'

/** The texts of an approval that may be longer than its frame. */
export type LongField = 'command' | 'content' | 'diff'

/**
 * Less than a run sends, so that masking sees the text behind the cut. Nobody reads longer commands.
 */
export const mostShownChars: Readonly<Record<LongField, number>> = { command: 33_000, content: 12_000, diff: 12_000 }
const pageChars = 32_000

/** Shows what will be done, as it is read. */
export const seeCall = (text: string): string => withoutGaps(visible(text))

const lastingKeys: ReadonlySet<string> = new Set(['write:memory', 'write:skills', 'write:schedules', 'instructions:changed'])

/** Whether later conversations read what the call would leave: then none of it is folded. */
export function isFollowedLater ({ patternKeys, foresight }: ApprovalAsk): boolean {
  return patternKeys.some((key) => lastingKeys.has(key)) || (foresight?.change !== undefined && isInstructionFile(foresight.change.path))
}

/**
 * Returns the texts of a card in full length. The line that stands for a call is followed by the content of the call, because some clients
 * show nothing else.
 */
export function longTextsOf ({ command, isCommandLine, content, foresight }: ApprovalAsk): Record<LongField, string> {
  const change = foresight?.change
  const diff = change !== undefined && 'diff' in change ? change.diff : ''
  const brought = diff === '' ? content?.text ?? '' : diff
  return {
    command: isCommandLine === true || brought === '' ? command : `${command}\n\n${brought}`,
    content: content?.text ?? '',
    diff
  }
}

/** For clients that show only the card and fetch nothing: says how much of the command it holds. */
export function restInWords (ask: ApprovalAsk): string {
  const { command: { length } } = longTextsOf(ask)
  return length <= mostShownChars.command
    ? ''
    : ` Of ${length.toLocaleString('en-US')} characters, a card holds the first ${mostShownChars.command.toLocaleString('en-US')}; the app shows the rest when it is asked to.`
}

/** A page of one of the texts; `next`: where the next one begins, null at the end; `left`: how many characters follow this page. */
export interface TextPage { text: string, masks: FieldMask[], next: number | null, left: number }

export function pageOf (ask: ApprovalAsk, field: LongField, at: number, isMasked: boolean): TextPage {
  const text = longTextsOf(ask)[field]
  const from = Math.min(at, text.length)
  const { text: shown, masks: found, end } = cardPage(text, { from, mostChars: pageChars, see: seeCall, isMasked })
  const masks = isFollowedLater(ask) ? found.filter(({ hidden }) => hidden !== undefined) : found
  const left = text.length - end
  return { text: shown, masks: masks.map((mask) => ({ field, ...mask })), next: left === 0 ? null : end, left }
}

/** Returns what is kept of an answered approval, because nobody reads it page by page any more; null: all of it. */
export function briefly (ask: ApprovalAsk): ApprovalAsk | null {
  const { content, foresight } = ask
  const change = foresight?.change
  const hasLong = (content?.text.length ?? 0) > mostShownChars.content ||
    (change !== undefined && 'diff' in change && change.diff.length > mostShownChars.diff)
  if (!hasLong) return null
  return {
    ...ask,
    ...(content === undefined ? {} : { content: { ...content, text: content.text.slice(0, mostShownChars.content), isCut: true } }),
    ...(change === undefined || 'note' in change
      ? {}
      : { foresight: { ...foresight, change: { ...change, diff: change.diff.slice(0, mostShownChars.diff), isCut: true } } })
  }
}
