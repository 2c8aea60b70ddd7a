import { type Chat, type Tell } from '../chat/index.js'
import { type GoalRow } from './rows.js'
import { type Log } from '../../ground/log.js'

/** A turn that was open when the service stopped. */
export interface InterruptedTurn { sessionId: string, state: 'active' | 'cancelling' | 'settling' }

export interface RecoveryOptions {
  /** Returns the active goals. */
  goals: () => GoalRow[]
  lastTurn: Chat['lastTurn']
  /** What the assistant said last in a session. */
  lastAnswer: (sessionId: string) => string
  isLive: (sessionId: string) => boolean
  /** Pauses the goal of a session as interrupted, if it is active. */
  pause: (sessionId: string) => void
  evaluate: (sessionId: string, spent: number, text: string, tell: Tell) => Promise<void>
  proceedLater: (sessionId: string) => void
  tell: Tell
  log: Log
}

/**
 * Resumes goals that were active when the service stopped: those whose next turn was announced continue, those whose last turn ended well
 * and was not judged are judged, and those interrupted in the middle of a turn are paused.
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
    // Resumed after its last turn: it waits for a message.
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
