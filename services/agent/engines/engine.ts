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

/**
 * What the user chose, and the preview they had been shown: a card that outlived a restart still shows its original preview. `isByYolo`: no
 * person has answered it, because yolo was switched on.
 */
export interface Approval { choice: ApprovalChoice, foresight: Foresight | undefined, isByYolo: boolean }

/** A turn's connections to everything but the model: it emits events, asks, and receives. */
export interface RunIO {
  signal: AbortSignal
  emit (event: RunEventBody): void
  /** Returns a promise to await before more of the model's answer is read, if too many events are not stored yet; else undefined. */
  drained (): Promise<void> | undefined
  /**
   * Waits for the user. Resolves with null if they did not answer in time, or if `signal` was aborted, which closes the
   * prompt. Throws Cancelled when the turn is cancelled.
   */
  askApproval (ask: Omit<ApprovalAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<Approval | null>
  askQuestion (ask: Omit<ClarifyAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<string | null>
  /**
   * Sends a request to the web tier. Resolves with the answer, or with the error if there is none. `span`: id of the span of the call
   * that asks. Throws Cancelled when the turn ends.
   */
  request<K extends RequestKind> (
    what: K, body: RequestBody<K>, options?: { deadlineMs?: number | null, span?: string | undefined }
  ): Promise<Answered<K>>
  /**
   * Called before files of the workspace are changed. Resolves when a checkpoint has been made, or when it is certain that none
   * will be. Throws Cancelled when the turn is cancelled.
   */
  checkpoint (): Promise<void>
  /** Closes the prompt that a call had before an interruption, as the call no longer asks. Returns an answer already given, or null. */
  letGo (callId: string): string | null
  /** Texts typed into the running turn since the last call. */
  takeSteers (): string[]
  /** Pattern keys that are allowed without a question. Answers add to them. */
  grants: ReadonlySet<string>
  /** Patterns of keys that the operator always refuses, by the rules as they are now. */
  denied (): readonly string[]
  yolo (): boolean
  /** Whether the turn is in plan mode, in which nothing is changed. It never leaves that mode. */
  planning (): boolean
  todos: { get (): TodoItem[], set (todos: TodoItem[]): void }
  /** Spans of the run's own work; absent if its turn is not traced. */
  spans?: RunSpans | undefined
}

/** The call that asks; see AskOrigin. */
export type Asking = Pick<AskOrigin, 'callId' | 'beside'>

/** A run whose places are resolved to folders of this machine: the workspace, and other folders that may be read. */
export interface PlacedSpec extends RunSpec { workspace: string, readable: string[] }

export interface Engine {
  run (spec: PlacedSpec, io: RunIO): Promise<RunOutcome>
}
