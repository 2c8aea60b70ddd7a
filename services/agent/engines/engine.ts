import {
  type ApprovalAsk, type ApprovalChoice, type AskOrigin, type ClarifyAsk, type Foresight, type GoodEnd, type RunError, type RunEventBody,
  type RunSpec, type TodoItem, type TurnUsage
} from '../protocol.js'
import { type Answered, type RequestBody, type RequestKind } from '../requests.js'
import { type RunSpans } from './run-spans.js'

/** How a turn ended. Engines return this; they throw only when the turn was cancelled. */
export type RunOutcome =
  | { state: 'done', usage: TurnUsage, terminalState?: GoodEnd }
  | { state: 'failed', usage: TurnUsage, error: RunError }

/** Thrown by everything inside a run once it has been cancelled. */
export class Cancelled extends Error {
  constructor () {
    super('The turn was cancelled')
    this.name = 'Cancelled'
  }
}

/** What somebody chose, and what they had been shown of the call: a card that outlived a restart shows what it did before. */
export interface Approval { choice: ApprovalChoice, foresight: Foresight | undefined }

/** What a turn can do to the world beyond the model: tell, ask, and be told. */
export interface RunIO {
  signal: AbortSignal
  emit (event: RunEventBody): void
  /** To be awaited before the model is read any further when it is not undefined: what was emitted is not stored yet. */
  drained (): Promise<void> | undefined
  /**
   * Waits for the user. `null`: nobody answered in time, or `signal` was aborted, which closes the
   * prompt. Throws Cancelled when the turn is.
   */
  askApproval (ask: Omit<ApprovalAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<Approval | null>
  askQuestion (ask: Omit<ClarifyAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<string | null>
  /**
   * Asks the web tier for something: resolves with the answer, or with why there is none. `span`: the one of the call that asks. Throws
   * Cancelled when the turn ends.
   */
  request<K extends RequestKind> (
    what: K, body: RequestBody<K>, options?: { deadlineMs?: number | null, span?: string | undefined }
  ): Promise<Answered<K>>
  /**
   * Called before files of the workspace are changed; resolves when their present state is kept, or will
   * not be. Throws Cancelled when the turn is.
   */
  checkpoint (): Promise<void>
  /** The call does not ask after all: the prompt that it had before an interruption is closed. What was answered to it already, or null. */
  letGo (callId: string): string | null
  /** Texts typed into the running turn since the last call. */
  takeSteers (): string[]
  /** Pattern keys that need no question; grows with the answers. */
  grants: ReadonlySet<string>
  yolo (): boolean
  /** It is in plan mode: nothing is changed. Once it is, it stays so. */
  planning (): boolean
  todos: { get (): TodoItem[], set (todos: TodoItem[]): void }
  /** What the run tells of its own work; absent: its turn is not traced. */
  spans?: RunSpans | undefined
}

/** The call that asks; see AskOrigin. */
export type Asking = Pick<AskOrigin, 'callId' | 'beside'>

/** A run whose places have become folders of this machine: the workspace, and what else may be read. */
export interface PlacedSpec extends RunSpec { workspace: string, readable: string[] }

export interface Engine {
  run (spec: PlacedSpec, io: RunIO): Promise<RunOutcome>
}
