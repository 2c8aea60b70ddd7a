import { type RunError } from '../protocol.js'

/** Why a turn with an agent could not be done, in words for a person. */
export class AgentFailure extends Error {
  /** It is a limit of its subscription that passes: when it does, from now on; null: it has not said. */
  limit: { waitMs: number | null } | null = null

  constructor (readonly failure: RunError) {
    super(failure.message)
    this.name = 'AgentFailure'
  }
}

/** @param type one of the interface's apperror types */
export function agentFailure (type: string, message: string, hint?: string): AgentFailure {
  return new AgentFailure({ type, message, ...(hint === undefined ? {} : { hint }) })
}
