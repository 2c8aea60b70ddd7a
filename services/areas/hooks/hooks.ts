import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { type AuditPort } from '../audit/index.js'
import { type Crons, type JobFields, type JobRow } from '../crons/index.js'
import { createCalls } from './calls.js'
import { createHookRows, type HookRow, type LoggedCall } from './rows.js'

/** The fields that a client sets for a hook; undefined and null leave them as they are. */
export interface HookFields extends Pick<
  JobFields, 'workspace' | 'model' | 'provider' | 'skills' | 'ask' | 'deliver' | 'enabled' | 'name' | 'dailyUsd'
> {
  template?: string | null
  events?: string[] | null
  match?: Record<string, string> | null
}

/** A hook with its job, which holds everything that is not about calls. */
export interface Hook { hook: HookRow, job: JobRow }

export interface HooksOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  crons: Pick<Crons, 'existing' | 'create' | 'update' | 'remove' | 'call'>
}

const mostHooks = 500

/**
 * Hooks: addresses that outside programs call with a signed JSON body. {@link createCalls} accepts the calls. What a hook asks the agent,
 * and where, belongs to its job.
 */
export function createHooks ({ db, clock, audit, crons }: HooksOptions) {
  const rows = createHookRows(db)

  function existing (id: string): Hook {
    const hook = rows.find(id)
    if (hook === undefined) throw new NotFound('Hook not found')
    return { hook, job: crons.existing(hook.jobId) }
  }

  /** Called inside a transaction. */
  function change (id: string, values: Partial<HookRow>, secret = false): void {
    if (rows.set(id, values) === undefined) throw new NotFound('Hook not found')
    audit.record('hook.changed', { ...recorded(existing(id)), secret })
  }

  return {
    existing,
    /** Returns the hooks of a profile, oldest first. */
    list: (profile: string): Hook[] =>
      rows.list().map((hook) => ({ hook, job: crons.existing(hook.jobId) })).filter(({ job }) => job.profile === profile),

    /** Throws Invalid for an invalid job, and beyond the maximum number of hooks. */
    async create (
      profile: string, { template, events, match, ...fields }: HookFields & { name: string, template: string }
    ): Promise<Hook & { secret: string }> {
      const id = randomBytes(16).toString('hex')
      const secret = randomBytes(32).toString('hex')
      await crons.create({ ...fields, profile, prompt: template, schedule: null }, (job) => {
        if (rows.list().length >= mostHooks) throw new Invalid(`At most ${mostHooks} hooks; delete one first`)
        const hook = rows.insert({ id, jobId: job.id, secret, events: events ?? [], matches: match ?? {}, createdAt: epochSeconds(clock) })
        audit.record('hook.created', recorded({ hook, job }))
      })
      return { ...existing(id), secret }
    },

    /** Changes the given fields and leaves everything else. Throws NotFound and Invalid. */
    async update (id: string, { template, events, match, ...fields }: HookFields): Promise<Hook> {
      const { hook } = existing(id)
      const values = { jobId: hook.jobId, ...(events != null && { events }), ...(match != null && { matches: match }) }
      await crons.update(hook.jobId, { ...fields, prompt: template ?? null }, () => change(id, values))
      return existing(id)
    },

    /** Creates a new secret; calls signed with the previous one are refused from now on. Throws NotFound. */
    async renewSecret (id: string): Promise<Hook & { secret: string }> {
      const secret = randomBytes(32).toString('hex')
      await db.durably(() => change(id, { secret }, true))
      return { ...existing(id), secret }
    },

    /** Removes a hook with its job, the outputs of its runs, and those of their sessions that no person has taken over. Throws NotFound. */
    async remove (id: string): Promise<void> {
      const { hook, job } = existing(id)
      await crons.remove(hook.jobId, () => audit.record('hook.deleted', recorded({ hook, job })))
    },

    /** Returns the outcomes of the last calls, latest first, and the last body that was kept. Throws NotFound. */
    calls (id: string): { calls: LoggedCall[], payload: string | null } {
      const { hook } = existing(id)
      return { calls: rows.logged(id), payload: hook.lastPayload }
    },

    ...createCalls({ db, clock, rows, crons })
  }
}

export type Hooks = ReturnType<typeof createHooks>

const recorded = ({ hook: { id }, job: { profile, name } }: Hook) => ({ profile, hook: id, name })
