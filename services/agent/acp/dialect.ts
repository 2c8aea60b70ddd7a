export type Fields = Readonly<Record<string, unknown>>

/** What a dialect needs of the connection. */
export interface Line {
  /** Sends a request as it is. Rejects with what the agent answers instead. */
  send (method: string, params: unknown): Promise<unknown>
  /** Hands on an update that the agent has not sent as such: `{ sessionId, update }`, in version 1. */
  tell (params: Fields): void
  /** Resolves when the agent is gone. */
  closed: Promise<void>
  /** The PATH that the agent has. */
  path: string | undefined
}

/**
 * A version of the protocol that an agent speaks. Everything else here speaks version 1: what goes to the agent and what comes from it is
 * put into the other version in this place alone.
 */
export interface Dialect {
  readonly version: 1 | 2
  /** What the agent has said of itself, as version 1 says it. */
  readonly initialized: Fields
  /** Rejects with what the agent answers instead. */
  request (method: string, params: unknown): Promise<unknown>
  /** What an update means in version 1, in the order in which it counts. */
  updates (params: unknown): readonly unknown[]
  /** Answers a request of the agent. Throws RequestError for one that this version does not have. */
  serve (method: string, params: Fields, act: (params: Fields) => Promise<unknown>): Promise<unknown>
}
