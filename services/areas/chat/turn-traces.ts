import { type RunTrace, type RunSpan } from '../../agent/protocol.js'

/** The turn that another one works for: its place in a trace, and the span of the call. */
export interface TurnAbove { trace: string | null, span?: string | undefined }

/** Tracing of turns. A turn's place in a trace is stored with its stream, so that it is known after a restart. */
export interface TurnTraces {
  /** Returns the place of a turn that begins now; null: it is not traced. */
  begin (under?: TurnAbove): string | null
  /** Returns what the run needs to know about its trace. */
  forRun (trace: string): RunTrace | undefined
  /** Takes a span that a run has sent. It has not been checked yet. */
  told (turn: { sessionId: string, trace: string | null }, said: RunSpan): void
}
