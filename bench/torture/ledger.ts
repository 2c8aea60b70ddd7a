import { type WireFrame } from '../wire.js'
import { createRegister, type Register } from './register.js'

/** A turn whose start was acknowledged, and what a reader had received when its stream ended or broke off. */
export interface AcceptedTurn {
  sessionId: string
  streamId: string
  message: string
  received: WireFrame[]
  /** The cancel call was answered with `cancelled: true`. */
  cancelled: boolean
  /** Texts whose steer call was answered with `accepted: true`. */
  steers: string[]
}

/** An approval that a client has seen. */
export interface SeenApproval {
  turn: AcceptedTurn
  approvalId: string
  /** `sent`: the answer was in flight when the service ended. */
  answer: 'none' | 'sent' | 'acknowledged'
}

export interface StoredUpload { path: string, sha256: string }
export interface BackgroundTask { sessionId: string, taskId: string, told: number }

/** Everything that was acknowledged, and so must exist whatever happens afterwards. */
export interface Ledger {
  turns: AcceptedTurn[]
  sessions: Set<string>
  /** Conversations that asked for permission, or may have: also through a message whose start was never acknowledged. */
  asking: Set<string>
  titles: Map<string, Register<string>>
  drafts: Map<string, Register<string>>
  /** Whole texts, by absolute path. */
  files: Map<string, Register<string>>
  uploads: StoredUpload[]
  approvals: SeenApproval[]
  settings: Map<string, Register<number>>
  projects: Set<string>
  tasks: BackgroundTask[]
  asides: AcceptedTurn[]
}

export function createLedger (): Ledger {
  return {
    turns: [], sessions: new Set(), asking: new Set(), titles: new Map(), drafts: new Map(), files: new Map(), uploads: [], approvals: [],
    settings: new Map(), projects: new Set(), tasks: [], asides: []
  }
}

export function registerOf<K, T> (registers: Map<K, Register<T>>, key: K): Register<T> {
  const register = registers.get(key) ?? createRegister<T>()
  registers.set(key, register)
  return register
}
