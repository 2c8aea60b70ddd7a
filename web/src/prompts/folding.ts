import { type Approval } from '../core/conversation/prompts.js'

/**
 * A part of a card's text. `folded`: it looks like a credential, and is not seen until somebody wants
 * to; `secret`: the service does not tell it.
 */
export interface TextPart { text: string, kind: 'plain' | 'folded' | 'secret', chars: number }

type Field = 'command' | 'description' | 'content' | 'diff'

/** A text of a card in its parts, in order. */
export function partsOf ({ masks = [] }: Pick<Approval, 'masks'>, field: Field, text: string): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const { field: of, start, end, hidden } of masks) {
    if (of !== field || start < at || end > text.length) continue
    if (start > at) parts.push({ text: text.slice(at, start), kind: 'plain', chars: start - at })
    parts.push({ text: text.slice(start, end), kind: hidden === undefined ? 'folded' : 'secret', chars: hidden ?? end - start })
    at = end
  }
  if (at < text.length) parts.push({ text: text.slice(at), kind: 'plain', chars: text.length - at })
  return parts
}

/** A text with something else in the places of what is not seen. */
export const foldedText = (parts: readonly TextPart[], sign: (chars: number) => string): string =>
  parts.map(({ text, kind, chars }) => kind === 'plain' ? text : sign(chars)).join('')

/** What is folded in the command: its parts, which stand below it, are not to tell it either. */
export function foldedWords (approval: Approval): string[] {
  return [...new Set(partsOf(approval, 'command', approval.command).filter(({ kind }) => kind === 'folded').map(({ text }) => text))].sort((
    one, other
  ) => other.length - one.length)
}

/** A line that stands for a card elsewhere, such as in a list. */
export const foldedLine = (approval: Approval): string => foldedText(partsOf(approval, 'description', approval.description), () => '[…]')
