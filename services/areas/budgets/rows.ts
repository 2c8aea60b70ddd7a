import { oneRow, type Database } from '../../ground/database/index.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { type Measure, type BudgetScope } from './limits.js'
import { type Use } from './policy.js'

/** The key of a budget: what it covers, and the id of that. */
export interface BudgetKey { scope: BudgetScope, id: string }

/** The stored state of a budget. */
export interface BudgetRow extends Use { told: string[], upTo: Record<Measure, number | null> }

interface Stored extends Use { told: string, usdUpTo: number | null, tokensUpTo: number | null }

/** The statements of the table `budget_use`; writes run inside the caller's transaction. */
export function createBudgetRows ({ sqlite }: Database) {
  const columns = 'tokens, usd, unpriced, told, usd_up_to as usdUpTo, tokens_up_to as tokensUpTo'
  const find = sqlite.prepare<[string, string], Stored>(`select ${columns} from budget_use where scope = ? and id = ?`)
  const begin = sqlite.prepare('insert or ignore into budget_use (scope, id, tokens, usd, unpriced, updated_at) values (?, ?, ?, ?, ?, ?)')
  const add = sqlite.prepare<[number, number, string | null, number, string, string], Stored>(
    `update budget_use set tokens = tokens + ?, usd = usd + ?, unpriced = coalesce(?, unpriced), updated_at = ?
      where scope = ? and id = ? returning ${columns}`
  )
  const tell = sqlite.prepare('update budget_use set told = ? where scope = ? and id = ?')
  const allow = {
    usd: sqlite.prepare('update budget_use set usd_up_to = max(coalesce(usd_up_to, 0), ?), updated_at = ? where scope = ? and id = ?'),
    tokens: sqlite.prepare(
      'update budget_use set tokens_up_to = max(coalesce(tokens_up_to, 0), ?), updated_at = ? where scope = ? and id = ?'
    )
  }
  const remove = sqlite.prepare("delete from budget_use where scope = 'session' and id = ?")
  const sweep = sqlite.prepare(
    "delete from budget_use where updated_at < ? and scope <> 'session' and not exists (select 1 from streams where streams.id = budget_use.id and state <> 'closed')"
  )
  // The use stored with turns, from before there was a sum to add it to. Read once for each conversation and day.
  const sums = 'coalesce(sum(input_tokens + output_tokens), 0) as tokens, coalesce(sum(cost), 0) as usd, max(case when cost is null then model end) as unpriced'
  const usedBefore = {
    session: sqlite.prepare<[string], Use>(`select ${sums} from usage where session_id = ?`),
    day: sqlite.prepare<[number, string], Use>(`select ${sums} from usage where created_at >= ? and profile = ?`)
  }

  return {
    find: ({ scope, id }: BudgetKey): BudgetRow | undefined => rowOf(find.get(scope, id)),
    /** Returns the use of a session, or of a profile since a time, according to the rows of its turns. */
    usedInSession: (sessionId: string): Use => oneRow(usedBefore.session, sessionId),
    usedSince: (startS: number, profile: string): Use => oneRow(usedBefore.day, startS, profile),

    /** Begins a sum that does not exist yet with the earlier use. */
    begin: (
      { scope, id }: BudgetKey, { tokens, usd, unpriced }: Use, nowS: number
    ): void => { begin.run(scope, id, tokens, usd, unpriced, nowS) },
    /** Adds to a sum and returns it; undefined if it does not exist yet. */
    add: ({ scope, id }: BudgetKey, { tokens, usd, unpriced }: Use, nowS: number): BudgetRow | undefined =>
      rowOf(add.get(tokens, usd, unpriced, nowS, scope, id)),
    tell: ({ scope, id }: BudgetKey, told: readonly string[]): void => { tell.run(JSON.stringify(told), scope, id) },
    allow: ({ scope, id }: BudgetKey, measure: Measure, upTo: number, nowS: number): void => { allow[measure].run(upTo, nowS, scope, id) },
    /** Called when the conversation has been deleted. */
    removeSession: (id: string): void => { remove.run(id) },
    /** Deletes sums that were last changed before a time, except those of conversations and of turns that are not over. */
    sweep: (beforeS: number): void => { sweep.run(beforeS) }
  }
}

function rowOf (stored: Stored | undefined): BudgetRow | undefined {
  if (stored === undefined) return undefined
  const { told, usdUpTo, tokensUpTo, ...use } = stored
  return { ...use, told: listOf(told), upTo: { usd: usdUpTo, tokens: tokensUpTo } }
}

/** A damaged list counts as empty: a notice is then repeated. */
function listOf (text: string): string[] {
  const list = parseJson(text)
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []
}

export type BudgetRows = ReturnType<typeof createBudgetRows>
