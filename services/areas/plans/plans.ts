import { type Static } from '@sinclair/typebox'
import { type Plan as PlanSchema } from '../../../schemas/plans.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { mostPlanChars, planSteps, planTitle } from '../../agent/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { readableProse } from '../../ground/text/visible.js'
import { type Sessions } from '../sessions/index.js'
import { createPlanRows, type PlanVersion } from './rows.js'

export interface PlansOptions {
  db: Database
  clock: Clock
  events: EventBroker
  sessions: Sessions
}

export type PlanWire = Static<typeof PlanSchema>

/** What the agent is told about a plan that it has saved. */
export interface Saved { text: string, isError: boolean, why?: 'edited' | 'no_steps' }

const frame = framesOf<typeof sessionFrames>()

const changed = (version: number): Conflict =>
  new Conflict('The plan was changed in the meantime. Read it again', 'plan_changed', { plan_version: version })

/**
 * The plan of each conversation: a Markdown document that the agent writes and a person edits, on all their devices. Every text is a
 * version, and each change names the version it is based on, so that no change overwrites one that its author has not seen.
 */
export function createPlans ({ db, clock, events, sessions }: PlansOptions) {
  const rows = createPlanRows(db)

  /** Tells readers of the session; called inside the transaction of the change. */
  function tell (sessionId: string): void {
    db.afterCommit(() => {
      const plan = rows.latest(sessionId)
      if (plan === undefined) return
      const { version, author, startedAt } = plan
      events.publish({ kind: 'session', id: sessionId }, () =>
        frame('plan_changed', { session_id: sessionId, version, author, started_at: startedAt }))
    })
  }

  function add (sessionId: string, text: string, author: PlanVersion['author']): number {
    const version = (rows.latest(sessionId)?.version ?? 0) + 1
    rows.add({ sessionId, version, text, author, createdAt: epochSeconds(clock) })
    tell(sessionId)
    return version
  }

  /** Returns the plan if it still has the version that the person saw. Throws Conflict (`plan_changed`) otherwise. */
  function meant (sessionId: string, version: number): PlanVersion {
    const plan = rows.latest(sessionId)
    if (plan?.version !== version) throw changed(plan?.version ?? 0)
    return plan
  }

  return {
    meant,
    latest: rows.latest,

    /**
     * Returns the plan with its steps, or an earlier version; with credentials masked, unless `typed`. Throws NotFound for an unknown
     * session or version.
     */
    async read (sessionId: string, { version, typed }: { version?: number | undefined, typed: boolean }): Promise<PlanWire> {
      if (sessions.isForeign(sessionId)) return { session_id: sessionId, mode: 'default', plan: null, versions: [] }
      const { mode } = sessions.get(sessionId)
      const plan = version === undefined ? rows.latest(sessionId) : rows.find(sessionId, version)
      if (plan === undefined && version !== undefined) throw new NotFound('This version of the plan is not kept')
      if (plan !== undefined && !typed) await redactAhead(plan.text)
      const text = plan === undefined ? '' : typed ? plan.text : sessions.shown(plan.text)
      return {
        session_id: sessionId, mode, plan: plan === undefined ? null : planToWire(plan, text),
        versions: rows.list(sessionId).map(({ version: of, author, createdAt, startedAt }) =>
          ({ version: of, author, created_at: createdAt, started_at: startedAt }))
      }
    },

    /**
     * Replaces `version` (0: there is none yet) with a person's text. Invisible characters are left out: what is started is what a person
     * has read, and not what only a model reads. `accepted` runs in the transaction. Throws NotFound, Forbidden, Invalid for an empty text,
     * and Conflict (`plan_changed`).
     */
    async edit (
      sessionId: string, { text, version }: { text: string, version: number }, accepted: (version: number) => void
    ): Promise<number> {
      const plain = readableProse(text)
      if (plain.trim() === '') throw new Invalid('text is required')
      await redactAhead(plain)
      return await db.durably(() => {
        if (sessions.get(sessionId).readOnly) throw new Forbidden('This session is read-only')
        const before = rows.latest(sessionId)
        if ((before?.version ?? 0) !== version) throw changed(before?.version ?? 0)
        const saved = before?.text === plain ? version : add(sessionId, plain, 'person')
        accepted(saved)
        return saved
      })
    },

    /**
     * Stores what the agent has written, without invisible characters. A person's version is replaced only by a text that names it, because
     * then the agent has read it.
     */
    async save (sessionId: string, asked: { text: string, version: number | null }): Promise<Saved> {
      const [text, version] = [readableProse(asked.text), asked.version]
      if (text.trim() === '' || text.length > mostPlanChars) return { text: `A plan has 1 to ${mostPlanChars} characters.`, isError: true }
      await redactAhead(text)
      return await db.durably(() => {
        const before = rows.latest(sessionId)
        if (before?.author === 'person' && before.version !== version) return edited(before)
        const saved = before?.text === text ? before.version : add(sessionId, text, 'agent')
        return savedAs(saved, planSteps(text).length)
      })
    },

    /** Called inside a transaction: this version becomes the goal. Throws Conflict (`plan_changed`, `plan_started`). */
    start (sessionId: string, version: number): PlanVersion {
      const plan = meant(sessionId, version)
      if (!rows.start(sessionId, version, epochSeconds(clock))) throw started()
      tell(sessionId)
      return plan
    },

    /** Returns the plan as a person has left it; undefined if the latest version is the agent's, or there is none. */
    edited (sessionId: string): { version: number, text: string } | undefined {
      const plan = rows.latest(sessionId)
      return plan?.author === 'person' ? { version: plan.version, text: plan.text } : undefined
    }
  }
}

export type Plans = ReturnType<typeof createPlans>

export const started = (): Conflict => new Conflict('This version of the plan was already started', 'plan_started')

const planToWire = ({ version, author, createdAt, startedAt }: PlanVersion, text: string): NonNullable<PlanWire['plan']> => ({
  version, text, title: planTitle(text), steps: planSteps(text), author, created_at: createdAt, started_at: startedAt
})

const savedAs = (version: number, steps: number): Saved => ({
  text: `Saved as version ${version}, with ${steps === 1 ? '1 step' : `${steps} steps`}. ` +
    (steps === 0 ? 'It cannot be started without any: write the steps as a task list (- [ ] …).' : 'The user sees it, and starts it when they like.'),
  isError: steps === 0,
  ...steps === 0 ? { why: 'no_steps' } : {}
})

const edited = ({ version, text }: PlanVersion): Saved => ({
  text: `Not saved: the user has edited the plan. This is version ${version}, as it is now. Keep what they have changed, and call again with version: ${version}.\n\n${text}`,
  isError: true,
  why: 'edited'
})
