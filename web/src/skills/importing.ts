import { type Wire } from '../core/service/api.js'

/** What is done with a skill of an archive; `ask`: a person has not decided yet. */
export type Choice = 'ask' | 'take' | 'replace' | 'keep_both' | 'skip'

type Inspected = Pick<Wire<'InspectedSkill'>, 'conflict' | 'problem'>

export const choicesFor = ({ conflict }: Inspected): Choice[] =>
  conflict === null ? ['take', 'skip'] : ['ask', 'replace', 'keep_both', 'skip']

/** Returns the choice that a person sees first: a skill is never replaced, or left out, without being asked, unless it is the same. */
export const firstChoice = ({ conflict, problem }: Inspected): Choice =>
  problem !== null || conflict?.same === true ? 'skip' : conflict === null ? 'take' : 'ask'
