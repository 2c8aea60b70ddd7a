import { Type } from '@sinclair/typebox'
import { Closed, Nullable, Seconds } from './common.js'

const limitUsd = () => Nullable(Type.Number(), 'US dollars; null: no limit')
const limitTokens = () => Nullable(Type.Integer(), 'tokens; null: no limit')
const BudgetLimits = Closed({
  soft_usd: limitUsd(), hard_usd: limitUsd(), soft_tokens: limitTokens(), hard_tokens: limitTokens()
}, { title: 'BudgetLimits' })

const BudgetUse = Closed({
  tokens: Type.Integer({ description: 'tokens of prompts (including cached ones) and answers' }),
  usd: Type.Number({ description: 'US dollars, as far as prices are known' }),
  unpriced_model: Nullable(Type.String(), 'id of a model that was used and whose price is unknown; null: all prices are known'),
  allowed_usd: Nullable(Type.Number(), 'US dollars that people have allowed beyond the hard limit'),
  allowed_tokens: Nullable(Type.Integer(), 'tokens that people have allowed beyond the hard limit'),
  lifted: Type.Array(Type.String(), { description: 'hard limits that a person has lifted for this session: hard_usd, hard_tokens' })
}, { title: 'BudgetUse' })

export const Budgets = Closed({
  profile: Type.String(),
  limits: Closed({ turn: BudgetLimits, session: BudgetLimits, attempts: BudgetLimits, job: BudgetLimits, day: BudgetLimits }),
  problems: Type.Array(Type.String(), { description: 'ignored budget entries of config.yaml, each as a sentence with the reason' }),
  day: BudgetUse,
  date: Type.String({ description: 'today, YYYY-MM-DD' }),
  resets_at: Seconds('epoch seconds: when the next day of the budget begins'),
  session: Nullable(BudgetUse, 'usage of the session in the query; null: none was named'),
  turn: Nullable(BudgetUse, 'usage of the turn that runs in that session; null: no turn runs')
}, { title: 'Budgets' })

export const BudgetsQuery = Type.Object({ session_id: Type.Optional(Type.String({ maxLength: 200 })) })

/** Limits that are not named stay unchanged. */
export const ChangeBudgets = Type.Record(Type.String(), Type.Unknown(), {
  description: 'turn, session, attempts, job, day: each an object with soft_usd, hard_usd, soft_tokens, hard_tokens, or null, which ' +
    'removes all of them; a number sets a limit, null removes it, and other limits stay'
})
