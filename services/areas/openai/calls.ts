/** A call of a client's tool, as the client knows it; `args` is JSON text. */
export interface SaidCall { id: string, name: string, args: string }

/** The result of a call, from the client. */
export interface CallOutput { callId: string, text: string }

const callId = /^call_([0-9a-f]{32})_(\d{1,4})$/

/**
 * Returns the id of the call at this index among those that a turn has handed out. The id names its turn, so that it is found after a
 * restart.
 */
export const idOfCall = (streamId: string, index: number): string => `call_${streamId}_${index}`
export const itemOfCall = (streamId: string, index: number): string => `fc_${streamId}_${index}`
export const itemOfMessage = (streamId: string): string => `msg_${streamId}`

/** Returns the turn that an item, a message or a call, belongs to; null for an item of another origin. */
export const turnOfItem = (id: string): string | null => /^(?:msg|fc)_([0-9a-f]{32})(?:_\d+)?$/.exec(id)?.[1] ?? null

/** Returns the turn that has handed out a call; null for a call of another origin. */
export function turnOfCall (id: string): { streamId: string, index: number } | null {
  const [, streamId, index] = callId.exec(id) ?? []
  return streamId === undefined ? null : { streamId, index: Number(index) }
}
