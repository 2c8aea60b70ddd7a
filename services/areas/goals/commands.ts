import { isKeyOf } from '../../ground/one-of.js'

export type GoalCommand = { verb: 'status' | 'pause' | 'resume' | 'clear' } | { verb: 'set', goal: string }

const verbs = {
  '': 'status', status: 'status', pause: 'pause', resume: 'resume', clear: 'clear', stop: 'clear', done: 'clear'
} as const

/** Interprets what a person has typed after the command: one of a few words, otherwise the goal itself. */
export function goalCommand (typed: string): GoalCommand {
  const goal = typed.trim()
  const word = goal.toLowerCase()
  return isKeyOf(verbs, word) ? { verb: verbs[word] } : { verb: 'set', goal }
}
