import { type Static } from '@sinclair/typebox'
import { type Insights as InsightsSchema, type InsightsBreakdown } from '../../schemas/insights.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { DailyUse, eachDay } from './daily-use.js'
import { exportRows, type ExportRow } from './export.js'
import { longestPeriodDays, period } from './period.js'
import { createInsightRows, type PromptCount, type Use } from './rows.js'
import { toMoney } from './shares.js'
import { summary } from './summary.js'

/** Whose use of how many days with today, 1 to 365; `profile` null: of all. */
export interface InsightsFor { days: number, profile: string | null }

const mostAnswers = 16

/** What was used: by model, by day, by kind of turn. */
export function createInsights ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createInsightRows(db)
  const use = new DailyUse(rows)
  /** Finished answers, by what they were asked with; nothing was written since. */
  const answers = new Map<string, { writes: number, text: string }>()

  const at = ({ days }: InsightsFor) => {
    const nowS = epochSeconds(clock)
    const list = period(clock.now(), clamped(days))
    return { nowS, days: list, startS: list[0]!.startS, endS: list.at(-1)!.endS }
  }

  async function read (asked: InsightsFor): Promise<Static<typeof InsightsSchema>> {
    const { nowS, days, startS } = at(asked)
    const used = await use.of(days, asked.profile, nowS)
    return summary({ days, used, sessions: rows.sessions({ fromS: startS, profile: asked.profile }), foreign: rows.foreign(startS) })
  }

  return {
    /** The object of the wire as JSON text, made again when anything was written or the day is over. */
    async read (asked: InsightsFor): Promise<string> {
      const { startS } = at(asked)
      const key = `${asked.profile ?? ''}\0${clamped(asked.days)}\0${startS}`
      const writes = rows.writes()
      const known = answers.get(key)
      if (known?.writes === writes) return known.text
      const text = JSON.stringify(await read(asked))
      if (answers.size >= mostAnswers) answers.delete(answers.keys().next().value!)
      answers.set(key, { writes, text })
      return text
    },

    /** Day by day and model by model. Conversations of other front ends are not in it. */
    async exported (asked: InsightsFor): Promise<ExportRow[]> {
      const { nowS, days } = at(asked)
      return exportRows(days, (await use.of(days, asked.profile, nowS)).days)
    },

    /** The same use by kind of turn and by project, and what became of what was asked. */
    async breakdown (asked: InsightsFor): Promise<Static<typeof InsightsBreakdown>> {
      const { days, startS, endS } = at(asked)
      const { profile } = asked
      const [kinds, projects] = [new Map<string, Use>(), new Map<string | null, Use & { name: string | null }>()]
      await eachDay(days, (day) => {
        const within = { fromS: day.startS, toS: day.endS, profile }
        for (const { kind, ...use } of rows.byKind(within)) kinds.set(kind, sum(kinds.get(kind), use))
        for (const { id, ...use } of rows.byProject(within)) projects.set(id, sum(projects.get(id), use))
      })
      return {
        period_days: days.length,
        kinds: dearestFirst(kinds).map(([kind, use]) => ({ kind, ...useToWire(use) })),
        projects: dearestFirst(projects).map(([id, use]) => ({ project_id: id, name: use.name, ...useToWire(use) })),
        prompts: promptsToWire(rows.prompts({ fromS: startS, toS: endS, profile }))
      }
    }
  }
}

export type Insights = ReturnType<typeof createInsights>

const clamped = (days: number): number => Math.min(longestPeriodDays, Math.max(1, days))

function sum<T extends Use> (before: T | undefined, more: T): T {
  return before === undefined ? { ...more } : { ...more, turns: before.turns + more.turns, tokens: before.tokens + more.tokens, cost: before.cost + more.cost }
}

function dearestFirst<K, T extends Use> (uses: Map<K, T>): Array<[K, T]> {
  return [...uses].sort(([, a], [, b]) => b.cost - a.cost || b.tokens - a.tokens)
}

const useToWire = ({ turns, tokens, cost }: Use) => ({ turns, total_tokens: tokens, cost: toMoney(cost) })

function promptsToWire (counts: PromptCount[]): Static<typeof InsightsBreakdown>['prompts'] {
  return (['approval', 'clarify'] as const).map((kind) => {
    const sum = (fits: (entry: PromptCount) => boolean): number => counts.filter((entry) => entry.kind === kind && fits(entry)).reduce((total, { count }) => total + count, 0)
    const answered = (entry: PromptCount): boolean => entry.state === 'answered'
    const isApproval = kind === 'approval'
    return {
      kind,
      asked: sum(() => true),
      allowed: isApproval ? sum((entry) => answered(entry) && entry.isDenied === 0) : 0,
      denied: isApproval ? sum((entry) => answered(entry) && entry.isDenied === 1) : 0,
      answered: sum(answered),
      expired: sum(({ state }) => state === 'expired'),
      cancelled: sum(({ state }) => state === 'cancelled'),
      open: sum(({ state }) => state === 'open' || state === 'answering')
    }
  })
}
