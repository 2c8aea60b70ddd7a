import { signal } from '@preact/signals'
import { api } from '../app.js'
import { budgetLines, type BudgetLine } from '../core/settings/budget-use.js'

const known = signal<{ sessionId: string, lines: readonly BudgetLine[] } | null>(null)

/** How it stands with the limits of a chat, as it was read last; empty without limits. */
export const budgetsOf = (sessionId: string | null): readonly BudgetLine[] =>
  known.value?.sessionId === sessionId ? known.value?.lines ?? [] : []

/** Reads it again. What cannot be read is not shown: the service tells of limits by itself while a turn runs. */
export async function refreshBudgets (sessionId: string): Promise<void> {
  const answer = await api.get('/api/budgets', { session_id: sessionId }).catch(() => null)
  if (answer !== null) known.value = { sessionId, lines: budgetLines(answer) }
}
