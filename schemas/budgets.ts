import { Type } from '@sinclair/typebox'
import { Closed, Nullable, Seconds } from './common.js'

const limitUsd = () => Nullable(Type.Number(), 'US dollars; null = no limit')
const limitTokens = () => Nullable(Type.Integer(), 'tokens; null = no limit')
const BudgetLimits = Closed({
  soft_usd: limitUsd(), hard_usd: limitUsd(), soft_tokens: limitTokens(), hard_tokens: limitTokens()
}, { title: 'BudgetLimits' })

const BudgetUse = Closed({
  tokens: Type.Integer({ description: 'tokens of prompts (cached ones included) and answers' }),
  usd: Type.Number({ description: 'US dollars, as far as prices are known' }),
  unpriced_model: Nullable(Type.String(), 'a used model whose price is not known'),
  allowed_usd: Nullable(Type.Number(), 'US dollars that people have allowed beyond the hard limit'),
  allowed_tokens: Nullable(Type.Integer(), 'tokens that people have allowed beyond the hard limit'),
  lifted: Type.Array(Type.String(), { description: 'hard limits that no longer apply to this conversation: hard_usd, hard_tokens' })
}, { title: 'BudgetUse' })

export const Budgets = Closed({
  profile: Type.String(),
  limits: Closed({ turn: BudgetLimits, session: BudgetLimits, attempts: BudgetLimits, job: BudgetLimits, day: BudgetLimits }),
  problems: Type.Array(Type.String(), { description: 'budget entries of config.yaml that are ignored, and why: one sentence each' }),
  day: BudgetUse,
  date: Type.String({ description: 'today, YYYY-MM-DD' }),
  resets_at: Seconds('epoch seconds: when the next day begins'),
  session: Nullable(BudgetUse, 'the conversation of the query'),
  turn: Nullable(BudgetUse, 'the turn that runs in that conversation')
}, { title: 'Budgets' })

export const BudgetsQuery = Type.Object({ session_id: Type.Optional(Type.String({ maxLength: 200 })) })

/** Limits that are not named stay unchanged. */
export const ChangeBudgets = Type.Record(Type.String(), Type.Unknown(), {
  description: 'turn, session, attempts, job, day: each an object with soft_usd, hard_usd, soft_tokens, hard_tokens, or null to remove all of them; a number sets a limit, null removes it, and limits that are not named stay'
})
