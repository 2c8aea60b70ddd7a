/** What happens to the calls of tools in turns, for listeners. */
export interface CallEvents {
  /** A tool has returned. Told inside the write that stores its result, so that what a listener writes is stored with it, or neither is. */
  called (
    turn: { streamId: string, sessionId: string, profile: string },
    call: { name: string, args: Record<string, unknown>, isError: boolean }
  ): void
}
