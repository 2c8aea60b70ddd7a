import { hash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { beyondLimits, mostLevels } from '../../ground/json.js'
import { type AuditPort } from '../audit/index.js'
import { type Crons, type JobFields, type JobRow } from '../crons/index.js'
import { eventsOf, isMatching, requestOf, type CallHeaders } from './payload.js'
import { createHookRows, type HookOutcome, type HookRow } from './rows.js'
import { isProven, type Proof } from './signature.js'

/** What a client says of a hook; undefined and null say nothing. */
export interface HookFields extends Pick<
  JobFields, 'workspace' | 'model' | 'provider' | 'skills' | 'ask' | 'deliver' | 'enabled' | 'name'
> {
  template?: string | null
  events?: string[] | null
  match?: Record<string, string> | null
}

/** A hook with its job, which says everything that is not about calls. */
export interface Hook { hook: HookRow, job: JobRow }

export interface Call { headers: CallHeaders, body: Buffer }
export interface CallAnswer { reason: 'duplicate' | Exclude<HookOutcome, 'started'> | null, runId: string | null }

export interface HooksOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  crons: Pick<Crons, 'existing' | 'create' | 'update' | 'remove' | 'call'>
}

const mostHooks = 500
const mostValues = 50_000
/** So long the same call begins nothing anew. */
const callsKeptS = 7 * 24 * 3600
/** Stands in for the secret of a hook that is not there, so that refusing takes as long. */
const nobody = randomBytes(32).toString('hex')

/**
 * Hooks: addresses that programs elsewhere call with a signed JSON body. Each call that is wanted becomes a run of the hook's job, a turn
 * in a session of its own. What was answered with success is stored, and begins once, however often it is sent.
 */
export function createHooks ({ db, clock, audit, crons }: HooksOptions) {
  const rows = createHookRows(db)

  function existing (id: string): Hook {
    const hook = rows.find(id)
    if (hook === undefined) throw new NotFound('Hook not found')
    return { hook, job: crons.existing(hook.jobId) }
  }

  /** Inside a transaction. */
  function change (id: string, values: Partial<HookRow>, secret = false): void {
    if (rows.set(id, values) === undefined) throw new NotFound('Hook not found')
    audit.record('hook.changed', { ...recorded(existing(id)), secret })
  }

  return {
    existing,
    /** Of a profile, oldest first. */
    list: (profile: string): Hook[] =>
      rows.list().map((hook) => ({ hook, job: crons.existing(hook.jobId) })).filter(({ job }) => job.profile === profile),

    /** Throws Invalid for what a job cannot be, and beyond the most hooks there may be. */
    async create (
      profile: string, { template, events, match, ...fields }: HookFields & { name: string, template: string }
    ): Promise<Hook & { secret: string }> {
      const id = randomBytes(16).toString('hex')
      const secret = randomBytes(32).toString('hex')
      await crons.create({ ...fields, profile, prompt: template, schedule: null }, (job) => {
        if (rows.list().length >= mostHooks) throw new Invalid(`At most ${mostHooks} hooks; delete one first`)
        const hook = rows.insert({
          id, jobId: job.id, secret, events: events ?? [], matches: match ?? {}, createdAt: epochSeconds(clock)
        })
        audit.record('hook.created', recorded({ hook, job }))
      })
      return { ...existing(id), secret }
    },

    /** Changes what is said and leaves everything else. Throws NotFound and Invalid. */
    async update (id: string, { template, events, match, ...fields }: HookFields): Promise<Hook> {
      const { hook } = existing(id)
      const values = { jobId: hook.jobId, ...(events != null && { events }), ...(match != null && { matches: match }) }
      await crons.update(hook.jobId, { ...fields, prompt: template ?? null }, () => change(id, values))
      return existing(id)
    },

    /** A new secret; what is signed with the former one is refused from now on. Throws NotFound. */
    async renewSecret (id: string): Promise<Hook & { secret: string }> {
      const secret = randomBytes(32).toString('hex')
      await db.durably(() => change(id, { secret }, true))
      return { ...existing(id), secret }
    },

    /** Removes it with its job, the outputs of its runs and their sessions that nobody has made their own. Throws NotFound. */
    async remove (id: string): Promise<void> {
      const { hook, job } = existing(id)
      await crons.remove(hook.jobId, () => audit.record('hook.deleted', recorded({ hook, job })))
    },

    /**
     * Takes a call. Resolves when it is stored. Throws Forbidden, in the same words for a hook that is not there and for a caller who does
     * not know its secret; Invalid for a body that is no JSON; and TooMany when too many calls wait.
     */
    async call (id: string, { headers, body }: Call): Promise<CallAnswer> {
      const hook = rows.find(id)
      const proof: Proof = { signature: one(headers['x-hub-signature-256']), token: one(headers['x-gitlab-token']) }
      if (!isProven(hook?.secret ?? nobody, body, proof) || hook === undefined) {
        throw new Forbidden('There is no such hook, or the call is not signed with its secret', 'hook_refused')
      }
      const job = crons.existing(hook.jobId)
      const payload = parsed(body)
      const events = eventsOf(headers, payload)
      const unwanted = reasonAgainst({ hook, job }, events, payload)
      if (unwanted !== null) {
        await db.durably(() => rows.noteCall(id, unwanted, epochSeconds(clock)))
        return { reason: unwanted, runId: null }
      }
      const key = keyOf(headers, body, proof)
      const former = rows.runOf(id, key)
      if (former !== undefined) return { reason: 'duplicate', runId: former }
      const request = requestOf(job.prompt, { name: job.name, event: events[0] ?? '', body: payload })
      try {
        const runId = await crons.call(hook.jobId, request, (runId) => {
          // The same may have come on another connection meanwhile.
          if (rows.runOf(id, key) !== undefined) throw new Repeated()
          const at = epochSeconds(clock)
          rows.keep({ hookId: id, key, runId, at })
          rows.noteCall(id, 'started', at)
        })
        return { reason: null, runId }
      } catch (error) {
        if (error instanceof Repeated) return { reason: 'duplicate', runId: rows.runOf(id, key) ?? null }
        throw error
      }
    },

    /** Forgets calls that are old enough. */
    sweep: (): void => { db.enqueue({ write: () => rows.forget(epochSeconds(clock) - callsKeptS) }) }
  }
}

export type Hooks = ReturnType<typeof createHooks>

class Repeated extends Error {}

/** Why a call begins nothing; null: it does. */
function reasonAgainst ({ hook, job }: Hook, events: readonly string[], payload: unknown): Exclude<HookOutcome, 'started'> | null {
  if (events.includes('ping')) return 'ping'
  if (job.state !== 'scheduled') return 'paused'
  if (hook.events.length > 0 && !hook.events.some((name) => events.includes(name))) return 'event'
  return isMatching(payload, hook.matches) ? null : 'match'
}

/**
 * What tells a call from others. A signed one is what was signed: the headers beside it could be changed by whoever has seen it. One that
 * is not signed is what its caller calls it, or else its body.
 */
function keyOf (headers: CallHeaders, body: Buffer, { signature }: Proof): string {
  const named = signature === undefined ? one(headers['idempotency-key']) ?? one(headers['x-gitlab-event-uuid']) : undefined
  return hash('sha256', named === undefined ? body : `named ${named}`)
}

function parsed (body: Buffer): unknown {
  if (beyondLimits(body, { levels: mostLevels, values: mostValues }) !== null) {
    throw new Invalid('The request body holds too many values, or is nested too deeply')
  }
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Invalid('The request body is not valid JSON')
  }
}

const one = (value: string | string[] | undefined): string | undefined => Array.isArray(value) ? value[0] : value
const recorded = ({ hook: { id }, job: { profile, name } }: Hook) => ({ profile, hook: id, name })
