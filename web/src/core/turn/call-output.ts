import { type Wire } from '../service/api.js'

/**
 * What a running call has printed: the beginning, and where something was left out behind it, the newest end.
 * Control characters of terminals are in it.
 */
export interface CallOutput { readonly head: string, readonly leftOutBytes: number, readonly tail: string }

/** More than the service tells of one call in an hour; of a longer end the last half stays. */
const mostTailChars = 2 * 1_024 * 1_024

/** The output with one frame more. */
export function addOutput (
  before: CallOutput | null, { text, left_out_bytes: leftOutBytes }: Pick<Wire<'ToolOutput'>, 'text' | 'left_out_bytes'>
): CallOutput {
  const { head, leftOutBytes: known, tail } = before ?? { head: '', leftOutBytes: 0, tail: '' }
  if (leftOutBytes === 0) return { head: head + text, leftOutBytes, tail: '' }
  if (leftOutBytes !== known) return { head, leftOutBytes, tail: text }
  const longer = tail + text
  return { head, leftOutBytes, tail: longer.length > mostTailChars ? longer.slice(-mostTailChars / 2) : longer }
}
