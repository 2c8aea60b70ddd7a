import { type Pause } from './pauses.js'
import { type GoalRow } from './rows.js'

/** A sentence for a person, with the key and values from which a client can build it in its own language. */
export interface Sentence { key: string, message: string, args?: Record<string, string | number> }

const budget = ({ turnsUsed, maxTurns }: Pick<GoalRow, 'turnsUsed' | 'maxTurns'>) => ({ turns_used: turnsUsed, max_turns: maxTurns })

export const none: Sentence = { key: 'goal_status_none', message: 'This session has no goal.' }
export const nothingToClear: Sentence = { key: 'goal_no_goal', message: 'There is no active goal.' }
export const resumed: Sentence = { key: 'goal_resumed', message: 'The goal continues with the next message.' }
export const cleared: Sentence = { key: 'goal_cleared', message: 'The goal was cleared.' }
export const evaluating: Sentence = { key: 'goal_evaluating_progress', message: 'Checking whether the goal is reached…' }

export const paused = ({ reason }: Pause): Sentence => ({ key: 'goal_paused', message: `The goal is paused: ${reason}.`, args: { reason } })
export const achieved = (reason: string): Sentence => ({ key: 'goal_achieved', message: `The goal is reached: ${reason}`, args: { reason } })
export const set = (goal: GoalRow): Sentence => ({
  key: 'goal_set', message: `The goal is set; it may use ${goal.maxTurns} turns.`, args: budget(goal)
})

export const budgetExhausted = (goal: GoalRow): Sentence => ({
  key: 'goal_paused_budget_exhausted', message: `The goal is paused: its ${goal.maxTurns} turns are used up.`, args: budget(goal)
})
export const continuing = (goal: GoalRow): Sentence => ({
  key: 'goal_continuing', message: `Not reached yet (turn ${goal.turnsUsed} of ${goal.maxTurns}): ${goal.lastReason ?? ''}`,
  args: { ...budget(goal), reason: goal.lastReason ?? '' }
})

export function status (goal: GoalRow): Sentence {
  const used = `${goal.turnsUsed} of ${goal.maxTurns} turns used`
  switch (goal.status) {
    case 'active': return { key: 'goal_status_active', message: `The goal is active (${used}).`, args: budget(goal) }
    case 'paused': return {
      key: 'goal_status_paused', message: `The goal is paused: ${goal.pausedReason ?? 'no reason given'} (${used}).`,
      args: { ...budget(goal), reason: goal.pausedReason ?? '' }
    }
    case 'done': return { key: 'goal_status_done', message: `The goal is reached (${used}).`, args: budget(goal) }
    case 'cleared': return none
  }
}

const opening = 'Continue towards the goal (turn '

/** Returns the message of the next turn. It names the turn, so that no two messages of a goal are the same. */
export function continuationPrompt (goal: GoalRow): string {
  return [
    `${opening}${goal.turnsUsed + 1} of ${goal.maxTurns}): ${goal.goal}`,
    `What is missing, according to the last check: ${goal.lastReason ?? 'unknown'}`,
    'Take the next step. When the goal is reached, or cannot be reached, say so plainly and why.'
  ].join('\n\n')
}

/** Whether a message looks like one of {@link continuationPrompt}. */
export const isContinuation = (message: string): boolean => message.startsWith(opening)
