import { type Static } from '@sinclair/typebox'
import { type Insights as InsightsSchema } from '../../schemas/insights.js'
import { percent } from '../sessions/index.js'
import { dayIndex, type Day } from './period.js'
import { type Activity, type ForeignActivity, type ModelUse } from './rows.js'
import { shares, toMoney } from './shares.js'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

interface Counted { inputTokens: number, outputTokens: number, cacheReadTokens: number, cost: number }
const nothing = (): Counted => ({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0 })

export interface Material {
  days: Day[]
  /** For each day what was used in it. */
  used: ModelUse[][]
  sessions: Activity[]
  foreign: ForeignActivity[]
}

/**
 * The object of the wire. Tokens and money belong to the day on which they were used, also those of hidden, throwaway and
 * deleted conversations; a conversation counts once, at its last activity. Those of other front ends bring their tokens
 * along, as a whole and without a price.
 */
export function summary ({ days, used, sessions, foreign }: Material): Static<typeof InsightsSchema> {
  const total = nothing()
  const models = new Map<string, Counted & { sessions: Set<string> }>()
  const perDay = days.map(({ date }) => ({ date, ...nothing(), sessions: 0 }))
  const byWeekday = weekdays.map((day) => ({ day, sessions: 0 }))
  const byHour = Array.from({ length: 24 }, (_, hour) => ({ hour, sessions: 0 }))
  const count = (day: number, model: string, session: string, use: Counted): void => {
    let ofModel = models.get(model)
    if (ofModel === undefined) models.set(model, ofModel = { ...nothing(), sessions: new Set<string>() })
    ofModel.sessions.add(session)
    for (const sum of [total, ofModel, perDay[day]]) if (sum !== undefined) add(sum, use)
  }

  for (const [day, uses] of used.entries()) {
    for (const { model, sessionId, cost, ...use } of uses) count(day, model, sessionId, { ...use, cost: cost ?? 0 })
  }
  for (const { id, atS, model, inputTokens, outputTokens } of foreign) {
    count(dayIndex(days, atS), model, id, { inputTokens, outputTokens, cacheReadTokens: 0, cost: 0 })
  }
  for (const { atS } of [...sessions, ...foreign]) {
    const at = new Date(atS * 1000)
    const day = perDay[dayIndex(days, atS)]
    if (day !== undefined) day.sessions++
    byWeekday[(at.getDay() + 6) % 7]!.sessions++
    byHour[at.getHours()]!.sessions++
  }

  return {
    period_days: days.length,
    total_sessions: sessions.length + foreign.length,
    total_messages: [...sessions, ...foreign].reduce((sum, { messages }) => sum + messages, 0),
    total_input_tokens: total.inputTokens,
    total_output_tokens: total.outputTokens,
    total_cache_read_tokens: total.cacheReadTokens,
    total_cache_hit_percent: hits(total),
    total_tokens: total.inputTokens + total.outputTokens,
    total_cost: toMoney(total.cost),
    models: modelList([...models].map(([model, { sessions, ...use }]) => ({ model, sessions: sessions.size, ...use }))),
    daily_tokens: perDay.map(({ date, inputTokens, outputTokens, cacheReadTokens, sessions, cost }) => ({
      date, input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cacheReadTokens, sessions, cost: toMoney(cost)
    })),
    activity_by_day: byWeekday,
    activity_by_hour: byHour
  }
}

function modelList (models: Array<Counted & { model: string, sessions: number }>): Static<typeof InsightsSchema>['models'] {
  const tokens = (use: Counted): number => use.inputTokens + use.outputTokens
  const sorted = models.toSorted((a, b) => b.cost - a.cost || tokens(b) - tokens(a) || a.model.localeCompare(b.model, 'en'))
  const [bySessions, byTokens, byCost] = [shares(sorted.map(({ sessions }) => sessions)), shares(sorted.map(tokens)), shares(sorted.map(({ cost }) => cost))]
  return sorted.map((use, index) => ({
    model: use.model,
    sessions: use.sessions,
    input_tokens: use.inputTokens,
    output_tokens: use.outputTokens,
    cache_hit_percent: hits(use),
    total_tokens: tokens(use),
    cost: toMoney(use.cost),
    session_share: bySessions[index]!,
    token_share: byTokens[index]!,
    cost_share: byCost[index]!
  }))
}

function add (sum: Counted, use: Counted): void {
  sum.inputTokens += use.inputTokens
  sum.outputTokens += use.outputTokens
  sum.cacheReadTokens += use.cacheReadTokens
  sum.cost += use.cost
}

/** Providers may count what they read from a cache beside the input instead of in it. */
function hits ({ cacheReadTokens, inputTokens }: Counted): number | null {
  const hit = percent(cacheReadTokens, inputTokens)
  return hit === null ? null : Math.min(100, hit)
}
