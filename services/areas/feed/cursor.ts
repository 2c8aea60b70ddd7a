import { createHash } from 'node:crypto'

/**
 * Where a reader of everything stands: in the operator's topic (only as long as the process lives that numbered it, by
 * `epoch`), and in the journal of each turn that it follows. On the wire `<epoch>.<seq>` and, for each turn,
 * `.<mark><seq>`: the mark is six characters that stand for the turn's id, numbers are to the base 36.
 */
export interface Cursor {
  epoch: string
  seq: number
  /** Seqs of turns, by their marks. */
  turns: ReadonlyMap<string, number>
}

const markChars = 6
const longestCursor = 4_096
const shape = /^[\w-]{1,20}\.[\da-z]{1,10}(?:\.[\w-]{6}[\da-z]{1,10})*$/

/** Too few to be sure of, for all turns there are; more than enough for those that one reader follows. */
export function markOf (streamId: string): string {
  return createHash('sha256').update(streamId).digest('base64url').slice(0, markChars)
}

export const numberToCursor = (seq: number): string => seq.toString(36)

/** Null for what is no cursor. */
export function parseCursor (text: string): Cursor | null {
  if (text.length > longestCursor || !shape.test(text)) return null
  const [epoch = '', seq = '', ...turns] = text.split('.')
  return {
    epoch, seq: parseInt(seq, 36), turns: new Map(turns.map((turn) => [turn.slice(0, markChars), parseInt(turn.slice(markChars), 36)]))
  }
}
