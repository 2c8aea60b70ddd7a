import { Type } from '@sinclair/typebox'
import { Closed, Nullable, Seconds } from './common.js'

const limitUsd = () => Nullable(Type.Number(), 'US dollars; null = no limit')
const limitTokens = () => Nullable(Type.Integer(), 'tokens; null = no limit')
const BudgetLimits = Closed({
  soft_usd: limitUsd(), hard_usd: limitUsd(), soft_tokens: limitTokens(), hard_tokens: limitTokens()
}, { title: 'BudgetLimits' })

const BudgetUse = Closed({
  tokens: Type.Integer({ description: 'of prompts, cached ones included, and answers' }),
  usd: Type.Number({ description: 'as far as prices are known' }),
  unpriced_model: Nullable(Type.String(), 'one of which something was used, and whose price is not known'),
  allowed_usd: Nullable(Type.Number(), 'how far people have allowed it beyond its hard limit'),
  allowed_tokens: Nullable(Type.Integer(), 'the same in tokens'),
  lifted: Type.Array(Type.String(), { description: 'hard limits that do not count for this conversation any more: hard_usd, hard_tokens' })
}, { title: 'BudgetUse' })

export const Budgets = Closed({
  profile: Type.String(),
  limits: Closed({ turn: BudgetLimits, session: BudgetLimits, job: BudgetLimits, day: BudgetLimits }),
  problems: Type.Array(Type.String(), { description: 'what config.yaml says of budgets and does not count, one sentence each' }),
  day: BudgetUse,
  date: Type.String({ description: 'today, YYYY-MM-DD' }),
  resets_at: Seconds('epoch seconds: when the next day begins'),
  session: Nullable(BudgetUse, 'of the conversation that was asked for'),
  turn: Nullable(BudgetUse, 'of the turn that runs in it')
}, { title: 'Budgets' })

export const BudgetsQuery = Type.Object({ session_id: Type.Optional(Type.String({ maxLength: 200 })) })

/** Limits that are not named stay as they are. */
export const ChangeBudgets = Type.Record(Type.String(), Type.Unknown(), {
  description: 'turn, session, job, day: each an object of soft_usd, hard_usd, soft_tokens, hard_tokens, or null for none of them; a number sets a limit, null takes it away, what is not named stays'
})
