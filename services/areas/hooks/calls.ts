import { hash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Forbidden, Invalid, TooMany } from '../../ground/errors.js'
import { beyondLimits, mostLevels } from '../../ground/text/json.js'
import { type Crons, type JobRow } from '../crons/index.js'
import { eventsOf, isMatching, requestOf, type CallHeaders } from './payload.js'
import { type CallOutcome, type HookOutcome, type HookRow, type HookRows } from './rows.js'
import { isProven, type Proof } from './signature.js'

export interface Call { headers: CallHeaders, body: Buffer }
export interface CallAnswer { reason: 'duplicate' | Exclude<HookOutcome, 'started'> | null, runId: string | null }

/** What a hook would do, before it is stored. */
export interface DraftHook { name: string, template: string, events: string[], match: Record<string, string> }

export interface CallsOptions {
  db: Database
  clock: Clock
  rows: HookRows
  crons: Pick<Crons, 'existing' | 'call'>
}

const mostValues = 50_000
/** How long the same call starts nothing again. */
const callsKeptS = 7 * 24 * 3600
/** How many calls of each hook are logged, and how much of a body is kept for trying templates. */
const loggedCalls = 50
const keptBytes = 64 * 1024
/** Stands in for the secret of a hook that does not exist, so that refusing it takes as long. */
const nobody = randomBytes(32).toString('hex')

class Repeated extends Error {}

/**
 * Accepts calls of hooks. Each wanted call becomes a run of the hook's job, a turn in a session of its own. A call that was answered with
 * success is stored, and starts one run, however often it is sent.
 */
export function createCalls ({ db, clock, rows, crons }: CallsOptions) {
  /** Logs a call that was not accepted. The entry is only information for people, so it may be lost. */
  function untaken (hookId: string, outcome: CallOutcome): void {
    db.enqueue({
      write: () => {
        if (rows.find(hookId) === undefined) return
        rows.log({ hookId, at: epochSeconds(clock), outcome, event: null, runId: null }, loggedCalls)
      }
    })
  }

  /** Accepts a call whose caller has proven its identity. */
  async function taken (hook: HookRow, { headers, body }: Call, proof: Proof): Promise<CallAnswer> {
    const { id: hookId } = hook
    const job = crons.existing(hook.jobId)
    const payload = parsed(body)
    const events = eventsOf(headers, payload)
    const event = events[0] ?? null
    const note = (outcome: CallOutcome, runId: string | null): void => {
      const at = epochSeconds(clock)
      if (outcome !== 'ping' && body.length <= keptBytes) rows.set(hookId, { lastPayload: body.toString() })
      rows.log({ hookId, at, outcome, event, runId }, loggedCalls)
    }
    const unwanted = reasonAgainst(hook, job, events, payload)
    if (unwanted !== null) {
      await db.durably(() => {
        rows.noteCall(hookId, unwanted, epochSeconds(clock))
        note(unwanted, null)
      })
      return { reason: unwanted, runId: null }
    }
    const key = keyOf(headers, body, proof)
    const repeated = (runId: string | null): CallAnswer => {
      db.enqueue({ write: () => note('duplicate', null) })
      return { reason: 'duplicate', runId }
    }
    const former = rows.runOf(hookId, key)
    if (former !== undefined) return repeated(former)
    const request = requestOf(job.prompt, { name: job.name, event: event ?? '', body: payload })
    try {
      const runId = await crons.call(hook.jobId, request, (runId) => {
        // The same call may have arrived on another connection meanwhile.
        if (rows.runOf(hookId, key) !== undefined) throw new Repeated()
        const at = epochSeconds(clock)
        rows.keep({ hookId, key, runId, at })
        rows.noteCall(hookId, 'started', at)
        note('started', runId)
      })
      return { reason: null, runId }
    } catch (error) {
      if (error instanceof Repeated) return repeated(rows.runOf(hookId, key) ?? null)
      throw error
    }
  }

  return {
    /**
     * Accepts a call. Resolves when it is stored. Throws Forbidden, with the same message for a hook that does not exist and for a caller
     * who does not know its secret; Invalid for a body that is not JSON; and TooMany if too many calls wait.
     */
    async call (id: string, { headers, body }: Call): Promise<CallAnswer> {
      const hook = rows.find(id)
      const proof: Proof = { signature: one(headers['x-hub-signature-256']), token: one(headers['x-gitlab-token']) }
      if (!isProven(hook?.secret ?? nobody, body, proof) || hook === undefined) {
        if (hook !== undefined) untaken(id, 'refused')
        throw new Forbidden('There is no such hook, or the call is not signed with its secret', 'hook_refused')
      }
      try {
        return await taken(hook, { headers, body }, proof)
      } catch (error) {
        if (error instanceof Invalid) untaken(id, 'invalid')
        if (error instanceof TooMany) untaken(id, 'busy')
        throw error
      }
    },

    /** Returns what a call with this body would request, and whether it would start a run. Throws Invalid for a body that is not JSON. */
    preview (
      { name, template, events, match }: DraftHook, { headers, body }: Call
    ): { request: string, events: string[], reason: 'event' | 'match' | null } {
      const payload = parsed(body)
      const named = eventsOf(headers, payload)
      return {
        request: requestOf(template, { name, event: named[0] ?? '', body: payload }), events: named,
        reason: unwantedBy({ events, matches: match }, named, payload)
      }
    },

    /** Deletes stored calls that are old enough. */
    sweep: (): void => { db.enqueue({ write: () => rows.forget(epochSeconds(clock) - callsKeptS) }) }
  }
}

/** Returns why a call starts nothing; null if it starts a run. */
function reasonAgainst (hook: HookRow, job: JobRow, events: readonly string[], payload: unknown): Exclude<HookOutcome, 'started'> | null {
  if (events.includes('ping')) return 'ping'
  if (job.state !== 'scheduled') return 'paused'
  return unwantedBy(hook, events, payload)
}

function unwantedBy (
  wanted: Pick<HookRow, 'events' | 'matches'>, events: readonly string[], payload: unknown
): 'event' | 'match' | null {
  if (wanted.events.length > 0 && !wanted.events.some((name) => events.includes(name))) return 'event'
  return isMatching(payload, wanted.matches) ? null : 'match'
}

/**
 * Returns the key that identifies a call. For a signed call, it is the signed body, because anyone who has seen the call could change the
 * headers. For an unsigned one, it is the id that its caller gives it, otherwise the body.
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
