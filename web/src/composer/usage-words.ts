import { type BudgetLine } from '../core/settings/budget-use.js'
import { words } from '../words/index.js'

/** Returns a text such as `Per day: $2.10 of $5.00`. */
export function budgetText ({ scope, measure, used, limit }: BudgetLine): string {
  const { scopes, usd, short } = words.value.bar
  const shown = measure === 'usd' ? usd : short
  return words.value.composer.budget(scopes[scope], shown(used), shown(limit), measure)
}
