export type Fields = Readonly<Record<string, unknown>>

/** What a dialect needs of the connection. */
export interface Line {
  /** Sends a request unchanged. Rejects with the agent's error. */
  send (method: string, params: unknown): Promise<unknown>
  /** Passes on an update that the agent did not send itself: `{ sessionId, update }`, in version 1. */
  tell (params: Fields): void
  /** Resolves when the agent is gone. */
  closed: Promise<void>
  /** The PATH that the agent has. */
  path: string | undefined
}

/**
 * A version of the protocol that an agent speaks. Everything else here uses version 1; messages to and from the agent are translated only
 * here.
 */
export interface Dialect {
  readonly version: 1 | 2
  /** What the agent has said about itself, in the form of version 1. */
  readonly initialized: Fields
  /** Sends a request. Rejects with the agent's error. */
  request (method: string, params: unknown): Promise<unknown>
  /** Translates an update into updates of version 1, in the order in which they apply. */
  updates (params: unknown): readonly unknown[]
  /** Answers a request of the agent. Throws RequestError for one that does not exist in this version. */
  serve (method: string, params: Fields, act: (params: Fields) => Promise<unknown>): Promise<unknown>
}
