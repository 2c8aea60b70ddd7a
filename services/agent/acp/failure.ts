import { type RunError } from '../protocol.js'

/** Thrown when a turn with an agent cannot be done. The message tells a person why. */
export class AgentFailure extends Error {
  /** Set if a limit of the agent's subscription was reached; `waitMs`: how long it lasts from now on, null if the agent does not say. */
  limit: { waitMs: number | null } | null = null

  constructor (readonly failure: RunError) {
    super(failure.message)
    this.name = 'AgentFailure'
  }
}

/** @param type an `apperror` type of the API */
export function agentFailure (type: string, message: string, hint?: string): AgentFailure {
  return new AgentFailure({ type, message, ...(hint === undefined ? {} : { hint }) })
}
