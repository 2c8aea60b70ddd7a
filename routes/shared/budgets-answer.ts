import { type Static } from '@sinclair/typebox'
import { type FastifyInstance } from 'fastify'
import { type Budgets } from '../../schemas/budgets.js'
import { type BudgetState, type Limits } from '../../services/areas/budgets/index.js'
import { present } from '../../services/ground/present.js'

/** Returns the limits of a profile and what was used of them, with a `sessionId` also by the session and its running turn. */
export function budgetsToWire (
  { budgets, chat }: Pick<FastifyInstance, 'budgets' | 'chat'>, profile: string, sessionId?: string
): Static<typeof Budgets> {
  const { limits, problems } = budgets.rules(profile)
  const turn = sessionId === undefined ? undefined : chat.liveAccount(sessionId)?.turn
  const state = budgets.state({
    profile, ...(sessionId === undefined ? {} : { session: sessionId }), ...(turn === undefined ? {} : { turn })
  })
  const { date, endS } = budgets.today()
  return {
    profile,
    limits: {
      turn: limitsToWire(limits.turn), session: limitsToWire(limits.session), attempts: limitsToWire(limits.attempts),
      job: limitsToWire(limits.job), day: limitsToWire(limits.day)
    },
    problems,
    day: useToWire(present(state.day, 'the budget of the day')),
    date,
    resets_at: endS,
    session: state.session === undefined ? null : useToWire(state.session),
    turn: state.turn === undefined ? null : useToWire(state.turn)
  }
}

function limitsToWire (limits: Limits): Static<typeof Budgets>['limits']['day'] {
  const none = { soft_usd: null, hard_usd: null, soft_tokens: null, hard_tokens: null }
  return { ...none, ...limits }
}

function useToWire ({ tokens, usd, unpriced, allowed, lifted }: BudgetState): Static<typeof Budgets>['day'] {
  return { tokens, usd, unpriced_model: unpriced, allowed_usd: allowed.usd, allowed_tokens: allowed.tokens, lifted }
}
