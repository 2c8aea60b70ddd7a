import { type RunTrace, type SaidSpan } from '../../agent/protocol.js'

/** What a turn works for: another turn, as its stream keeps where that belongs, and the call of it. */
export interface TurnAbove { trace: string | null, span?: string | undefined }

/** Whoever traces turns. Where one belongs in a trace is kept with its stream, so that it is known after a restart as well. */
export interface TurnTraces {
  /** Where a turn belongs that begins now; null: it is not traced. */
  begin (under?: TurnAbove): string | null
  /** What its run is told of that. */
  forRun (trace: string): RunTrace | undefined
  /** Its run has told of a span; held against no form yet. */
  told (turn: { sessionId: string, trace: string | null }, said: SaidSpan): void
}
