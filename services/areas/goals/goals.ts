import { createGoalOperations, type OperationsOptions } from './operations.js'
import { GoalPursuit, type PursuitOptions } from './pursuit.js'
import { createRecognising } from './recognising.js'
import { createGoalRows } from './rows.js'

export type GoalsOptions = PursuitOptions & Pick<OperationsOptions, 'maxTurns'>

/**
 * Goals: turn after turn, until a judge finds the goal reached. The judge is asked after each turn that went well; the goal continues while
 * its budget lasts. A failure, a cancellation, a used-up budget or an unclear verdict pauses it. The next turn is stored before it is
 * announced, so that a restart continues where it was.
 */
export function createGoals (options: GoalsOptions) {
  const rows = createGoalRows(options)
  const pursuit = new GoalPursuit(rows, options)
  options.chat.recogniseWith(createRecognising({ ...options, pursuit }))

  return {
    ...createGoalOperations({ ...options, rows, pursuit }),

    /** Returns how many goals are about to continue or being judged, for tests and metrics. */
    size: (): number => pursuit.size()
  }
}

export type Goals = ReturnType<typeof createGoals>
