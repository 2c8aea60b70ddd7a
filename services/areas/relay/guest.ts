import { type Operator } from '../auth/index.js'

/** Everything that a machine is told about a session of the service, with each request. */
export interface Guest {
  sessionId: string
  profile: string
  /** A plain path on the machine. */
  workspace: string
  readOnly: boolean
  /** Whether conversations of the service work in this folder now; otherwise it may be one that they worked in earlier. */
  isKnown: boolean
  /** Whether a turn is running in it. */
  isLive: boolean
  /** Distinguishes clients; reveals nothing else about them. */
  client: string
  /** Whether the agent mentions the requested path in the conversation. */
  isMentioned: boolean
  /** What the requesting token may do; absent if a person asks. */
  scope?: NonNullable<Operator['scope']>
  /** What a model of the service has said about changes; null if none did, absent if none was asked yet. */
  said?: string | null
}

/** Header of an answer that is a question to a model of the service. */
export const questionHeader = 'x-relay-question'
