import { type Static } from '@sinclair/typebox'
import { type Insights as InsightsSchema } from '../../../schemas/insights.js'
import { type Day } from '../../ground/time/day.js'
import { percent } from '../sessions/index.js'
import { type Breathe } from './breathing.js'
import { type UseByDay } from './daily-use.js'
import { dayIndex } from './period.js'
import { type Activity, type ForeignActivity } from './rows.js'
import { shares, toMoney } from './shares.js'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

interface UsageSums { inputTokens: number, outputTokens: number, cacheReadTokens: number, cost: number }
/** How many conversations are counted before other work gets its turn. */
const portion = 1_000
const nothing = (): UsageSums => ({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0 })

/** The use of a model, with the numbers of its sessions (one list for each day) and the count of conversations of other programs. */
interface OfModel extends UsageSums { sessions: Uint32Array[], foreign: number }

export interface Material {
  days: Day[]
  used: UseByDay
  sessions: Activity[]
  foreign: ForeignActivity[]
}

/**
 * Builds the object of the wire. Tokens and money count for the day on which they were used, including those of hidden, throwaway and
 * deleted conversations. Conversations are counted the same way everywhere: only visible ones, each once, at its last activity; for a
 * model, those that it has answered in. Conversations of other programs contribute all their tokens at once, without a price.
 */
export async function summary ({ days, used, sessions, foreign }: Material, breathe: Breathe): Promise<Static<typeof InsightsSchema>> {
  const total = nothing()
  const models = new Map<string, OfModel>()
  const perDay = days.map(({ date }) => ({ date, ...nothing(), sessions: 0 }))
  const byWeekday = weekdays.map((day) => ({ day, sessions: 0 }))
  const byHour = Array.from({ length: 24 }, (_, hour) => ({ hour, sessions: 0 }))
  const count = (day: number, model: string, use: UsageSums): OfModel => {
    let ofModel = models.get(model)
    if (ofModel === undefined) models.set(model, ofModel = { ...nothing(), sessions: [], foreign: 0 })
    for (const sum of [total, ofModel, perDay[day]]) if (sum !== undefined) add(sum, use)
    return ofModel
  }

  for (const [day, uses] of used.days.entries()) {
    for (const { model, sessions, cost, ...use } of uses.models) count(day, model, { ...use, cost: cost ?? 0 }).sessions.push(sessions)
  }
  for (const { atS, model, inputTokens, outputTokens, cacheReadTokens, isAttached } of foreign) {
    const ofModel = count(dayIndex(days, atS), model, { inputTokens, outputTokens, cacheReadTokens, cost: 0 })
    if (isAttached === 0) ofModel.foreign++
  }
  const counted = [...sessions, ...foreign.filter(({ isAttached }) => isAttached === 0)]
  for (const [index, { atS }] of counted.entries()) {
    if (index % portion === 0) await breathe()
    const at = new Date(atS * 1000)
    for (const part of [perDay[dayIndex(days, atS)], byWeekday[(at.getDay() + 6) % 7], byHour[at.getHours()]]) {
      if (part !== undefined) part.sessions++
    }
  }

  return {
    period_days: days.length,
    total_sessions: counted.length,
    total_messages: counted.reduce((sum, { messages }) => sum + messages, 0),
    total_input_tokens: total.inputTokens,
    total_output_tokens: total.outputTokens,
    total_cache_read_tokens: total.cacheReadTokens,
    total_cache_hit_percent: hits(total),
    total_tokens: total.inputTokens + total.outputTokens,
    total_cost: toMoney(total.cost),
    models: modelList(await withSessions(models, countedIn(used.sessions, sessions), breathe)),
    daily_tokens: perDay.map(({ date, inputTokens, outputTokens, cacheReadTokens, sessions, cost }) => ({
      date, input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cacheReadTokens, sessions, cost: toMoney(cost)
    })),
    activity_by_day: byWeekday,
    activity_by_hour: byHour
  }
}

/** Marks the numbers of sessions that are counted with 1. */
function countedIn (numbers: UseByDay['sessions'], sessions: readonly Activity[]): Uint8Array {
  const counted = new Uint8Array(numbers.size)
  for (const { id } of sessions) {
    const number = numbers.find(id)
    if (number !== undefined) counted[number] = 1
  }
  return counted
}

/** Counts each counted session once for each model. */
async function withSessions (
  models: ReadonlyMap<string, OfModel>, counted: Uint8Array, breathe: Breathe
): Promise<Array<UsageSums & { model: string, sessions: number }>> {
  const seenBy = new Uint32Array(counted.length)
  const list: Array<UsageSums & { model: string, sessions: number }> = []
  for (const [index, [model, { sessions, foreign, ...use }]] of [...models].entries()) {
    let different = foreign
    for (const ofDay of sessions) {
      await breathe()
      for (const session of ofDay) {
        if (counted[session] !== 1 || seenBy[session] === index + 1) continue
        seenBy[session] = index + 1
        different++
      }
    }
    list.push({ model, ...use, sessions: different })
  }
  return list
}

function modelList (models: Array<UsageSums & { model: string, sessions: number }>): Static<typeof InsightsSchema>['models'] {
  const tokens = (use: UsageSums): number => use.inputTokens + use.outputTokens
  const sorted = models.toSorted((a, b) => b.cost - a.cost || tokens(b) - tokens(a) || a.model.localeCompare(b.model, 'en'))
  const [bySessions, byTokens, byCost] = [
    shares(sorted.map(({ sessions }) => sessions)), shares(sorted.map(tokens)), shares(sorted.map(({ cost }) => cost))
  ]
  return sorted.map((use, index) => ({
    model: use.model,
    sessions: use.sessions,
    input_tokens: use.inputTokens,
    output_tokens: use.outputTokens,
    cache_hit_percent: hits(use),
    total_tokens: tokens(use),
    cost: toMoney(use.cost),
    session_share: bySessions[index] ?? 0,
    token_share: byTokens[index] ?? 0,
    cost_share: byCost[index] ?? 0
  }))
}

function add (sum: UsageSums, use: UsageSums): void {
  sum.inputTokens += use.inputTokens
  sum.outputTokens += use.outputTokens
  sum.cacheReadTokens += use.cacheReadTokens
  sum.cost += use.cost
}

/** Some providers count tokens read from a cache beside the input instead of within it. */
function hits ({ cacheReadTokens, inputTokens }: UsageSums): number | null {
  const hit = percent(cacheReadTokens, inputTokens)
  return hit === null ? null : Math.min(100, hit)
}
