import { type Static } from '@sinclair/typebox'
import { type Insights as InsightsSchema } from '../../../schemas/insights.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { breakdown } from './breakdown.js'
import { breathing, type Breathe } from './breathing.js'
import { DailyUse } from './daily-use.js'
import { exportRows, type ExportPart, type ExportRow } from './export.js'
import { longestPeriodDays, period } from './period.js'
import { createInsightRows } from './rows.js'
import { summary } from './summary.js'

/** Whose use of how many days with today, 1 to 365; `profile` null: of all. */
export interface InsightsFor { days: number, profile: string | null }

const mostAnswers = 32

/** What was used: by model, by day, by kind of turn, project, tool and job. */
export function createInsights ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createInsightRows(db)
  const use = new DailyUse(rows)
  /** Finished answers, by what they were asked with; nothing was written since. */
  const answers = new Map<string, { writes: number, text: string }>()

  const at = ({ days }: InsightsFor) => {
    const nowS = epochSeconds(clock)
    const list = period(clock.now(), clamped(days))
    return { nowS, days: list, startS: list[0]!.startS }
  }

  /** An answer as JSON text, made again when anything was written or the day is over. */
  async function answer (what: string, asked: InsightsFor, make: () => Promise<unknown>): Promise<string> {
    const key = `${what}\0${asked.profile ?? ''}\0${clamped(asked.days)}\0${at(asked).startS}`
    const writes = rows.writes()
    const known = answers.get(key)
    if (known?.writes === writes) return known.text
    const text = JSON.stringify(await make())
    answers.set(key, { writes, text })
    keepNewest(answers, mostAnswers)
    return text
  }

  async function read (asked: InsightsFor): Promise<Static<typeof InsightsSchema>> {
    const { nowS, days, startS } = at(asked)
    const breathe = breathing()
    const used = await use.of(days, asked.profile, nowS, breathe)
    await breathe()
    const sessions = rows.sessions({ fromS: startS, profile: asked.profile })
    await breathe()
    return await summary({ days, used, sessions, foreign: rows.foreign(startS) }, breathe)
  }

  /** What a breakdown and an export are made of. */
  async function material (asked: InsightsFor, breathe: Breathe) {
    const { nowS, days } = at(asked)
    const { profile } = asked
    const used = await use.of(days, profile, nowS, breathe)
    await breathe()
    const inProjects = rows.inProjects()
    await breathe()
    return { days, used, inProjects, jobNames: rows.jobNames(), toolsSince: rows.toolsSince(profile) }
  }

  return {
    /** The contract's object, as JSON text. */
    read: async (asked: InsightsFor): Promise<string> => await answer('read', asked, async () => await read(asked)),

    /** The same use by kind of turn, project, tool and job, and what became of what was asked; as JSON text. */
    breakdown: async (asked: InsightsFor): Promise<string> => await answer('breakdown', asked, async () => {
      const breathe = breathing()
      return await breakdown(await material(asked, breathe), breathe)
    }),

    /** Day by day, and by a part of it. Conversations of other front ends are not in it. */
    exported: async (asked: InsightsFor, part: ExportPart): Promise<ExportRow[]> => exportRows(part, await material(asked, breathing())),

    /** Sessions are gone, and with them what they have asked. */
    forget: (): void => use.forget()
  }
}

export type Insights = ReturnType<typeof createInsights>

const clamped = (days: number): number => Math.min(longestPeriodDays, Math.max(1, days))
