// How much of an answer the agent reads, and how it passes it on. Limits of the answers themselves are in the providers' module.

/** How much of an answer outside the turn (a title, a verdict, a summary) is read: its end, because thoughts come first. */
export const asideChars = 65_536

/** Longer deltas are sent to the web tier in pieces of this size, so that no single write takes long. */
export const pieceChars = 4_096

/** How much of a run may be waiting to be stored before reading from its model pauses. It is sent in portions. */
export const flow = { windowChars: 512 * 1_024, portionChars: 64 * 1_024 } as const
