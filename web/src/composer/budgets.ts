import { signal } from '@preact/signals'
import { api } from '../app.js'
import { budgetLines, type BudgetLine } from '../core/settings/budget-use.js'

const known = signal<{ sessionId: string, lines: readonly BudgetLine[] } | null>(null)

/** Returns the limits of a chat and their use, as last read; empty if there are none. */
export const budgetsOf = (sessionId: string | null): readonly BudgetLine[] =>
  known.value?.sessionId === sessionId ? known.value?.lines ?? [] : []

/** Reads the limits again. A failure is not shown: the service reports limits itself while a turn runs. */
export async function refreshBudgets (sessionId: string): Promise<void> {
  const answer = await api.get('/api/budgets', { session_id: sessionId }).catch(() => null)
  if (answer !== null) known.value = { sessionId, lines: budgetLines(answer) }
}
