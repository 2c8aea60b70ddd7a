import { type Approval } from '../core/conversation/prompts.js'

/**
 * A part of a card's text. `folded`: it looks like a credential and is hidden until it is opened; `secret`: the service does not send it.
 */
export interface TextPart { text: string, kind: 'plain' | 'folded' | 'secret', chars: number }

type Field = 'command' | 'description' | 'content' | 'diff'

/** Splits a text of a card into its parts, in order. */
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

/** Returns the parts of a text from an index on; all parts if the index is inside a hidden one. */
export function partsFrom (parts: readonly TextPart[], from: number): readonly TextPart[] {
  let at = 0
  for (const [place, part] of parts.entries()) {
    const within = from - at
    if (within <= 0) return parts.slice(place)
    at += part.text.length
    if (within >= part.text.length) continue
    const text = part.text.slice(within)
    return part.kind === 'plain' ? [{ text, kind: 'plain', chars: text.length }, ...parts.slice(place + 1)] : parts
  }
  return []
}

/** Returns a text with placeholders for its hidden parts. */
export const foldedText = (parts: readonly TextPart[], sign: (chars: number) => string): string =>
  parts.map(({ text, kind, chars }) => kind === 'plain' ? text : sign(chars)).join('')

/** Returns the hidden parts of the command, which the parsed parts below must not show either. The longest comes first. */
export const foldedWords = (approval: Approval): string[] => hiddenIn(partsOf(approval, 'command', approval.command))

/**
 * Returns the hidden texts of some parts, the longest first. A text that is also visible there is not a secret: hiding it elsewhere would
 * only hide what a person has to judge, such as a host that was also used as a password.
 */
export function hiddenIn (parts: readonly TextPart[]): string[] {
  const isShown = (word: string): boolean => parts.some(({ kind, text }) => kind === 'plain' && text.includes(word))
  return [...new Set(parts.filter(({ kind }) => kind === 'folded').map(({ text }) => text))].filter((word) => !isShown(word))
    .sort((one, other) => other.length - one.length)
}

/** Returns the subject of a card in one line that needs no translation: a file, an address or a command; '' if there is none. */
export function foldedLine (approval: Approval): string {
  const { file, request, budget, command, job_change: job } = approval
  if (file !== undefined) return job?.name ?? file
  if (request !== undefined) return `${request.host}${request.path}`
  if (budget !== undefined || approval.pattern_key === 'instructions:changed') return ''
  return foldedText(partsFrom(partsOf(approval, 'command', command), toolEnd(approval)), () => '[…]').trim().replace(/\n[^]*/, ' …')
}

/** Returns the index after the name of the tool in the line that describes a call; 0 for a command line, which names no tool. */
export const toolEnd = ({ command, folder, command_parts: parts }: Approval): number =>
  folder !== undefined || parts !== undefined ? 0 : /^[\w-]{1,64}: (?=\S)/.exec(command)?.[0].length ?? 0
