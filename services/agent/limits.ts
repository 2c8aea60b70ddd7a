// What the agent takes of an answer, and how it tells it: beside the limits of the answers themselves, which providers have.

/** Of an answer beside the turn (a title, a verdict, a summary), what is looked at: its end, as thoughts come first. */
export const asideChars = 65_536

/** A delta that is longer crosses to the web tier in pieces of this size, so that no one write takes long. */
export const pieceChars = 4_096

/** How much of a run may be on its way to the disk before its model is not read any further; told in portions. */
export const flow = { windowChars: 512 * 1_024, portionChars: 64 * 1_024 } as const
