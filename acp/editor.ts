import {
  type CreateElicitationRequest, type CreateElicitationResponse, type PermissionOption, type RequestPermissionResponse, type SessionUpdate,
  type ToolCallUpdate
} from '@agentclientprotocol/sdk'

/** A choice that an editor is asked to show its user. */
interface Choice {
  sessionId: string
  title: string
  /** Identifies it among the choices that are open. */
  id: string
  /** The call that waits for the answer; null for a question of the agent. */
  call: ToolCallUpdate | null
  options: PermissionOption[]
}

/** The connected editor, in either version of the protocol. Updates and questions are given in version 1. */
export interface Editor {
  tell (sessionId: string, update: SessionUpdate): Promise<void>
  /** Shows a choice. Aborting `signal` withdraws it. */
  choose (choice: Choice, signal: AbortSignal): Promise<RequestPermissionResponse>
  fill (form: CreateElicitationRequest & { sessionId: string }, signal: AbortSignal): Promise<CreateElicitationResponse>
}
