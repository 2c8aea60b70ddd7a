import { type Operator } from '../auth/index.js'

/** All that a machine knows of a session of the service: what is told with each request. */
export interface Guest {
  sessionId: string
  profile: string
  /** A plain path of the machine. */
  workspace: string
  readOnly: boolean
  /** Conversations of the service work in this folder; else it may be one that they have worked in. */
  isKnown: boolean
  /** A turn is running in it. */
  isLive: boolean
  /** Tells whoever asks from others; says nothing else about them. */
  client: string
  /** The agent names the path that is asked for in the conversation. */
  isMentioned: boolean
  /** What a token may do that asks; absent: a person asks. */
  scope?: NonNullable<Operator['scope']>
  /** What a model of the service has said about changes, null when none did; absent where none was asked yet. */
  said?: string | null
}

/** Header of an answer that is a question to a model of the service. */
export const questionHeader = 'x-relay-question'
