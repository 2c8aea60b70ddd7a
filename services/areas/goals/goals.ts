import { type StartedTurn, type StartInput } from '../chat/index.js'
import { createGoalOperations, type OperationsOptions } from './operations.js'
import { GoalPursuit, type PursuitOptions } from './pursuit.js'
import { createGoalRows } from './rows.js'
import { sendMessage } from './sending.js'

export type GoalsOptions = PursuitOptions & Pick<OperationsOptions, 'maxTurns'>

/**
 * Goals: turn after turn until a judge finds the goal reached. After each turn that went well the judge is asked; it goes
 * on while the budget lasts. A failure, a cancel, a used-up budget or a verdict that cannot be understood pauses it.
 * The next turn is stored before it is announced, so that a restart goes on where it was.
 */
export function createGoals (options: GoalsOptions) {
  const rows = createGoalRows(options)
  const pursuit = new GoalPursuit(rows, options)

  return {
    ...createGoalOperations({ ...options, rows, pursuit }),

    /** A person's message, which may be the one with which the goal goes on. */
    send: (input: StartInput): Promise<StartedTurn> => sendMessage({ ...options, pursuit }, input),

    /** What it holds, for tests and metrics. */
    size: (): number => pursuit.size()
  }
}

export type Goals = ReturnType<typeof createGoals>
