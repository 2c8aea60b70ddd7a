import { type Stage } from './stage.js'

/** A conversation in a folder of its own. */
export interface Place {
  id: string
  folder: string
  /** Sends a request about the conversation, judged; resolves to the code of its error, or its status. */
  send (name: string, body?: Record<string, unknown>): Promise<string | null>
  write (name: string, content: string | Buffer): void
  git (...args: string[]): void
  /** Starts a turn that does not end by itself. */
  busy (): Promise<void>
}

/** Makes a state, does what conflicts with it, and resolves to the code of the error, which is to be `code`. */
export type Case = [code: string, provoke: (place: Place, stage: Stage) => Promise<string | null>]
