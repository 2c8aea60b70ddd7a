import { Type, type Static } from '@sinclair/typebox'

/** A hard limit that is used up, and `upTo`, the amount that one more approval allows. In US dollars, or tokens. */
export const budgetOfferForm = Type.Object({
  scope: Type.Union([Type.Literal('turn'), Type.Literal('session'), Type.Literal('attempts'), Type.Literal('job'), Type.Literal('day')]),
  id: Type.String(),
  measure: Type.Union([Type.Literal('usd'), Type.Literal('tokens')]),
  used: Type.Number(),
  limit: Type.Number(),
  upTo: Type.Number()
})
export type BudgetOffer = Static<typeof budgetOfferForm>

/** What a person is asked before a turn calls a model again; `message` and `hint` are shown if they do not allow it. */
export const budgetAskForm = Type.Object({
  command: Type.String(),
  description: Type.String(),
  patternKeys: Type.Array(Type.String(), { minItems: 1 }),
  offers: Type.Array(budgetOfferForm, { minItems: 1 }),
  message: Type.String(),
  hint: Type.String(),
  /** Whether the turn ends without a question. */
  isFinal: Type.Optional(Type.Boolean())
})
export type BudgetAsk = Static<typeof budgetAskForm>
