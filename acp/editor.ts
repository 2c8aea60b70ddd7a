import {
  type CreateElicitationRequest, type CreateElicitationResponse, type PermissionOption, type RequestPermissionResponse, type SessionUpdate,
  type ToolCallUpdate
} from '@agentclientprotocol/sdk'

/** What an editor is asked to let its person choose from. */
interface Choice {
  sessionId: string
  title: string
  /** Names it among those that wait. */
  id: string
  /** The call that waits for the answer; null: it is a question of the agent's. */
  call: ToolCallUpdate | null
  options: PermissionOption[]
}

/** An editor on the other end, whichever version of the protocol it speaks: what it is told and asked is said in version 1. */
export interface Editor {
  tell (sessionId: string, update: SessionUpdate): Promise<void>
  /** `signal` takes the question back. */
  choose (choice: Choice, signal: AbortSignal): Promise<RequestPermissionResponse>
  fill (form: CreateElicitationRequest & { sessionId: string }, signal: AbortSignal): Promise<CreateElicitationResponse>
}
