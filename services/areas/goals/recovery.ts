import { type Chat, type Tell } from '../chat/index.js'
import { type GoalRow } from './rows.js'

/** A turn that a stop of the service has found open. */
export interface InterruptedTurn { sessionId: string, state: 'active' | 'cancelling' | 'settling' }

export interface RecoveryOptions {
  /** The goals that are under way. */
  goals: () => GoalRow[]
  lastTurn: Chat['lastTurn']
  /** What the assistant said last in a session. */
  lastAnswer: (sessionId: string) => string
  isLive: (sessionId: string) => boolean
  /** Pauses the goal of a session, if it is under way, as one that was cut off. */
  pause: (sessionId: string) => void
  evaluate: (sessionId: string, spent: number, text: string, tell: Tell) => Promise<void>
  proceedLater: (sessionId: string) => void
  tell: Tell
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * Takes up the goals that a stop of the service has left under way: those whose next turn was announced go on, those whose
 * last turn ended well and was not judged are judged, and those that were cut off in the middle of a turn are paused.
 */
export function recoverGoals (
  { goals, lastTurn, lastAnswer, isLive, pause, evaluate, proceedLater, tell, log }: RecoveryOptions, interrupted: InterruptedTurn[]
): void {
  for (const { sessionId, state } of interrupted) if (state !== 'settling') pause(sessionId)
  for (const { sessionId, continuation, updatedAt } of goals()) {
    if (isLive(sessionId)) continue
    if (continuation !== null) {
      proceedLater(sessionId)
      continue
    }
    const last = lastTurn(sessionId)
    // Resumed since its last turn: it waits for a message.
    if (last?.endedAt == null || last.endedAt < updatedAt) continue
    if (last.terminalState !== 'completed' && last.terminalState !== 'tool_limit_reached') {
      pause(sessionId)
      continue
    }
    evaluate(sessionId, 0, lastAnswer(sessionId), tell).then(() => proceedLater(sessionId)).catch((error: unknown) => {
      log('a goal could not be judged', { sessionId, reason: String(error) })
    })
  }
}
