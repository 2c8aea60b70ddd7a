import { type ForeignRows } from './list.js'
import { type ListFlags } from './listed-ids.js'

/** Sessions of other front ends, which are shown among our own: they can be read, and nothing else. */
export interface ForeignSource {
  has (id: string): boolean
  rows (flags: ListFlags): ForeignRows
  /** The folder it worked in. Throws NotFound. */
  workspaceOf (id: string): string
  /** One of ours that goes on with a conversation of theirs: their program has what was said, so nothing of it is taken back. */
  isAttached (id: string): boolean
}

/** Until somebody brings others there are none. */
export const noForeign: ForeignSource = { has: () => false, rows: () => ({ rows: [], total: 0 }), workspaceOf: () => '', isAttached: () => false }
