import { type ForeignRows } from './list.js'
import { type ListFlags } from './listed-ids.js'

/** How many messages a session has, and epoch seconds of its last change. */
export interface SessionExtent { messageCount: number, updatedAt: number }

/** Sessions of other front ends, which are listed among those of this service and can only be read. */
export interface ForeignSource {
  has (id: string): boolean
  rows (flags: ListFlags): ForeignRows
  /** Returns the folder that the session worked in. Throws NotFound. */
  workspaceOf (id: string): string
  /** Returns how long its transcript is, and when it was last changed; undefined for an unknown one. */
  extentOf (id: string): SessionExtent | undefined
  /**
   * Whether a session of this service continues a conversation of another program. That program has its messages too, so none of them can
   * be taken back.
   */
  isAttached (id: string): boolean
}

/** The default until a source is added: no foreign sessions. */
export const noForeign: ForeignSource = {
  has: () => false,
  rows: () => ({ rows: [], total: 0 }),
  workspaceOf: () => '',
  extentOf: () => undefined,
  isAttached: () => false
}
