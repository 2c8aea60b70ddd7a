import { type Wire } from '../service/api.js'

/** The output of a running call: its beginning and, after a gap, its newest end. It contains terminal control characters. */
export interface CallOutput { readonly head: string, readonly leftOutBytes: number, readonly tail: string }

/** The limit is more than the service sends for one call in an hour; of a longer end, the last half is kept. */
const mostTailChars = 2 * 1_024 * 1_024

/** Returns the output with one more frame. */
export function addOutput (
  before: CallOutput | null, { text, left_out_bytes: leftOutBytes }: Pick<Wire<'ToolOutput'>, 'text' | 'left_out_bytes'>
): CallOutput {
  const { head, leftOutBytes: known, tail } = before ?? { head: '', leftOutBytes: 0, tail: '' }
  if (leftOutBytes === 0) return { head: head + text, leftOutBytes, tail: '' }
  if (leftOutBytes !== known) return { head, leftOutBytes, tail: text }
  const longer = tail + text
  return { head, leftOutBytes, tail: longer.length > mostTailChars ? longer.slice(-mostTailChars / 2) : longer }
}
