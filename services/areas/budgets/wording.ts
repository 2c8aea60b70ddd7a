import { type BudgetScope, type Measure } from './limits.js'
import { type Excess, type Notice, type Use } from './policy.js'

const ofScope: Record<BudgetScope, string> = {
  turn: 'of this turn', session: 'of this conversation', attempts: 'of these attempts', job: 'of this job for today', day: 'of this day'
}
const whose: Record<BudgetScope, string> = {
  turn: 'this turn', session: 'this conversation', attempts: 'these attempts', job: 'this job today',
  day: 'everything of this profile today'
}
const unlimited: Record<BudgetScope, string> = {
  turn: 'No turn of this conversation is held to this limit any more.',
  session: 'This conversation is not held to this limit any more.',
  attempts: 'In this conversation this limit does not count any more.',
  job: 'In this conversation this limit does not count any more.',
  day: 'This conversation is not held to this limit any more, today and on later days; others are.'
}
const settingOf = ({ scope, measure }: Pick<Excess, 'scope' | 'measure'>): string => `budgets.${scope}.hard_${measure}`

/** Formats dollars as people write them; less than a cent is not rounded to nothing. */
export function amount (measure: Measure, value: number): string {
  if (measure === 'tokens') return `${Math.ceil(value).toLocaleString('en-US')} tokens`
  if (value > 0 && value < 0.01) {
    return `$${value.toPrecision(2).includes('e') ? value.toFixed(10).replace(/0+$/, '') : value.toPrecision(2)}`
  }
  return `$${value.toFixed(2)}`
}

/** `12,345 of 10,000 tokens`, `$0.52 of $0.50` */
function share (measure: Measure, used: number, limit: number): string {
  const of = amount(measure, limit)
  return measure === 'tokens' ? `${amount(measure, used).replace(' tokens', '')} of ${of}` : `${finer(used, limit)} of ${of}`
}

/** Adds digits, so that two different amounts never look the same. */
function finer (used: number, limit: number): string {
  const text = amount('usd', used)
  return used !== limit && text === amount('usd', limit) ? `$${used.toFixed(4)}` : text
}

const unknownPrice = (model: string): string => `the price of ${model} is unknown, and what it has used is not counted`

/** Says what is used up, in one sentence for each budget. */
export function usedUp (excess: readonly Excess[]): string {
  return excess.map(({ scope, measure, used, limit, unpriced }) =>
    `The budget ${ofScope[scope]} is used up: ${share(measure, used, limit)}${unpriced === null ? '' : ` (${unknownPrice(unpriced)})`}.`).join(
    ' '
  )
}

/** Says what each answer to the card means. */
export function permits (excess: readonly Excess[]): string {
  const once = excess.map(({ scope, measure, used, upTo }) =>
    `another ${amount(measure, upTo - used)} for ${whose[scope]}, up to ${amount(measure, upTo)}`).join('; ')
  const session = [...new Set(excess.map(({ scope }) => unlimited[scope]))].join(' ')
  return `Continue? Allow once: ${once}. Then it is asked again. Allow for the session: ${session} Deny: the turn ends here.`
}

export const hint = (excess: readonly Excess[]): string =>
  `Send "continue" to go on where that is allowed, or change ${excess.map(settingOf).join(', ')} in the settings.`

/** Says what to do where no person can be asked. */
export const remedy = (excess: readonly Excess[]): string =>
  `Change ${excess.map(settingOf).join(', ')} in the settings, or wait until the next day where it is the day's.`

/** Tells a person once that a soft limit is reached. */
export function notice ({ scope, name, value }: Notice, use: Use): string {
  const measure = name === 'soft_usd' ? 'usd' : 'tokens'
  return `The budget ${ofScope[scope]} has reached its soft limit: ${share(measure, use[measure], value)}${measure === 'usd' && use.unpriced !== null ? ` (${unknownPrice(use.unpriced)})` : ''}.`
}

export const withoutPrice = (model: string): string =>
  `The price of ${model} is unknown: budgets in dollars count only what is known. Budgets in tokens hold.`
export const broken = (problems: readonly string[]): string => `Some budgets of config.yaml do not count: ${problems.join('; ')}.`
