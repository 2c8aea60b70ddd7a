import { type Static } from '@sinclair/typebox'
import { type Insights as InsightsSchema } from '../../../schemas/insights.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { present } from '../../ground/present.js'
import { breakdown } from './breakdown.js'
import { breathing, type Breathe } from './breathing.js'
import { DailyUse } from './daily-use.js'
import { exportRows, type ExportPart, type ExportRow } from './export.js'
import { longestPeriodDays, period } from './period.js'
import { createInsightRows } from './rows.js'
import { summary } from './summary.js'

/** `days`: number of days including today, 1 to 365; `profile` null: of all profiles. */
export interface InsightsFor { days: number, profile: string | null }

const mostAnswers = 32

/** The use of the service: by model, day, kind of turn, project, tool and job. */
export function createInsights ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createInsightRows(db)
  const use = new DailyUse(rows)
  /** Finished answers by their request; each is valid as long as nothing is written. */
  const answers = new Map<string, { writes: number, text: string }>()

  const at = ({ days }: InsightsFor) => {
    const nowS = epochSeconds(clock)
    const list = period(clock.now(), clamped(days))
    return { nowS, days: list, startS: present(list[0], 'the first day').startS }
  }

  /** Returns an answer as JSON text; computed again when anything was written or the day has changed. */
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

  /** Reads what breakdowns and exports are made of. */
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
    /** Returns the object of the contract, as JSON text. */
    read: async (asked: InsightsFor): Promise<string> => await answer('read', asked, async () => await read(asked)),

    /** Returns the same use by kind of turn, project, tool and job, and how prompts ended; as JSON text. */
    breakdown: async (asked: InsightsFor): Promise<string> => await answer('breakdown', asked, async () => {
      const breathe = breathing()
      return await breakdown(await material(asked, breathe), breathe)
    }),

    /** Returns the use by day and by `part`. Does not include conversations of other programs. */
    exported: async (asked: InsightsFor, part: ExportPart): Promise<ExportRow[]> => exportRows(part, await material(asked, breathing())),

    /** Called when sessions have been deleted, and their prompts with them. */
    forget: (): void => use.forget()
  }
}

export type Insights = ReturnType<typeof createInsights>

const clamped = (days: number): number => Math.min(longestPeriodDays, Math.max(1, days))
