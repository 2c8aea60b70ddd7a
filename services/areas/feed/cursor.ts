import { createHash } from 'node:crypto'

/**
 * The position of a reader: in the operator's topic (valid only while the process that numbered it, named by `epoch`, lives), and in the
 * journal of each turn that it follows. On the wire it is `<epoch>.<seq>` and, for each turn, `.<mark><seq>`: the mark is six characters
 * derived from the turn's id, numbers are in base 36.
 */
export interface Cursor {
  epoch: string
  seq: number
  /** Sequence numbers of turns, by their marks. */
  turns: ReadonlyMap<string, number>
}

const markChars = 6
const longestCursor = 4_096
const shape = /^[\w-]{1,20}\.[\da-z]{1,10}(?:\.[\w-]{6}[\da-z]{1,10})*$/

/** Returns a turn's mark. It is too short to be unique among all turns, but long enough for those that one reader follows. */
export function markOf (streamId: string): string {
  return createHash('sha256').update(streamId).digest('base64url').slice(0, markChars)
}

export const numberToCursor = (seq: number): string => seq.toString(36)

/** Returns null if the text is not a cursor. */
export function parseCursor (text: string): Cursor | null {
  if (text.length > longestCursor || !shape.test(text)) return null
  const [epoch = '', seq = '', ...turns] = text.split('.')
  return {
    epoch, seq: parseInt(seq, 36), turns: new Map(turns.map((turn) => [turn.slice(0, markChars), parseInt(turn.slice(markChars), 36)]))
  }
}
