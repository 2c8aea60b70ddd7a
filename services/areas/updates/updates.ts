import { type Clock } from '../../ground/clock.js'
import { type AuditPort } from '../audit/index.js'
import { abandon, applyUpdate, type ApplyOptions, type Done } from './applying.js'
import { hasLeftovers } from './attempt.js'
import { createChecks, type Checked, type ChecksOptions } from './check.js'
import { type Channel } from './checkout.js'
import { forgetDatabase } from './database-copy.js'
import { failureOf, type Flags } from './failure.js'
import { installedAs } from './installation.js'
import { type Outcome } from './journal.js'
import { createOutcomes } from './outcomes.js'
import { HeldCheckout, tidy } from './owner.js'
import { updated } from './placing.js'
import { otherWay, wayTo, type Published } from './published.js'
import { ownUpdate } from './repairing.js'

/** What would be broken off by a restart. */
interface Busy { activeStreams: number, activeRuns: number, streamIds: string[] }

export interface UpdatesOptions extends Pick<ChecksOptions, 'kept'>, Pick<ApplyOptions, 'installation' | 'packageName' | 'stateDir' | 'snapshot' | 'log' | 'trialLimitMs'> {
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
  settings: () => { check_for_updates: boolean, update_channel: Channel }
  busy: () => Busy
  /** Keeps turns from beginning, so that none is cut off by the restart. */
  turns: { hold: () => void, release: () => void }
  /** Ends the service in order and starts it again; null where that cannot be done from within. */
  restart: (() => void) | null
  restartAfterMs?: number
}

export type Applied =
  | ({ ok: boolean, message: string, target: string, restart_scheduled?: true, command?: string } & Flags)
  | {
    ok: false
    message: string
    target: string
    restart_blocked: true
    active_streams: number
    active_runs: number
    blocking_stream_ids: string[]
    blocking_run_ids: string[]
  }

/** Turns run. */
class Blocked extends Error {
  constructor (readonly busy: Busy) { super('Turns are running: wait for their end or cancel them, then update') }
}

/** So that the answer is read before the connection ends. */
const usualRestartAfterMs = 2_000

/** New versions of this service: whether there is one, and going to it. One update at a time. */
export function createUpdates ({
  clock, audit, settings, busy, turns, restart, restartAfterMs = usualRestartAfterMs, ...options
}: UpdatesOptions) {
  const { installation, stateDir } = options
  const stopping = new AbortController()
  const checks = createChecks({ ...options, clock, signal: stopping.signal })
  let underWay: Promise<Applied> | null = null
  let isRestarting = false
  let timer: NodeJS.Timeout | undefined
  let tidying: Promise<void> = Promise.resolve()
  const checkout = new HeldCheckout()
  const outcomes = createOutcomes({ stateDir, clock, log: options.log })

  function assertQuiet (): void {
    const now = busy()
    if (now.activeStreams + now.activeRuns > 0) throw new Blocked(now)
  }

  function holdQuiet (): void {
    assertQuiet()
    turns.hold()
  }

  /** Of a published form: only who installed it can put another in its place, so this says how. */
  async function advise (published: Published, target: string): Promise<Applied> {
    const { webui } = await checks.look(settings().update_channel, { force: true })
    if (webui?.behind === 0) return { ok: true, message: 'This is already the newest version', target, up_to_date: true }
    const { latest_version: latest, error } = { latest_version: undefined, error: undefined, ...webui }
    const answer = error !== undefined ? { message: error } : latest === undefined ? otherWay(published) : wayTo(published, latest)
    audit.soonest('update.applied', { message: answer.message }, 'failed')
    return { ok: false, target, ...answer }
  }

  async function attempt (target: string): Promise<Applied> {
    if ('published' in installation) return await advise(installation.published, target)
    if (restart === null) {
      return { ok: false, message: 'This service runs from its sources and cannot restart itself. Update it with git pull', target }
    }
    let done: Done
    await tidying
    try {
      done = await applyUpdate({ ...options, checkout, assertQuiet, holdQuiet, signal: stopping.signal }, settings().update_channel)
    } catch (error) {
      turns.release()
      await abandon(options).catch((reason: unknown) =>
        options.log('leftovers of an update could not be removed', { reason: String(reason) }))
      checkout.leave()
      if (error instanceof Blocked) return blocked(error, target)
      const failure = failureOf(error)
      if (failure === null) options.log('an update failed', { reason: String(error) })
      const message = failure?.message ?? 'The update has failed. The log of the service has the details'
      outcomes.keep({ ok: false, message })
      audit.soonest('update.applied', { message }, 'failed')
      return { ok: false, message, target, ...failure?.flags }
    }
    checks.forget()
    if (!done.restart) {
      checkout.leave()
      return { ok: true, message: done.message, target, ...done.flags }
    }
    audit.soonest('update.applied', { message: done.message })
    isRestarting = true
    timer = setTimeout(restart, restartAfterMs)
    return { ok: true, message: done.message, target, restart_scheduled: true, ...done.flags }
  }

  return {
    installedAs: installedAs(installation),

    /** Null: checks are switched off. Asks nobody. `otherChannel`: it was looked for another one than that of the settings. */
    last (): (Checked & { otherChannel: boolean, lastUpdate: Outcome | null }) | null {
      const { check_for_updates: isOn, update_channel: channel } = settings()
      if (!isOn) return null
      const seen = checks.last(channel)
      return { ...seen, otherChannel: seen.channel !== channel, lastUpdate: outcomes.last() }
    },

    /** Looks whether there is a new version. Null: checks are switched off, and it was not forced. */
    async check ({
      force, channel
    }: { force: boolean, channel: Channel | null }): Promise<(Checked & { lastUpdate: Outcome | null }) | null> {
      const set = settings()
      if (!set.check_for_updates && !force) return null
      return { ...await checks.look(channel ?? set.update_channel, { force }), lastUpdate: outcomes.last() }
    },

    /** Goes to the newest version and has the service restart. What keeps it from that is an answer, never an exception. */
    async apply (target: string): Promise<Applied> {
      if (underWay !== null || isRestarting) return { ok: false, message: 'Update already in progress', target }
      underWay = attempt(target)
      try {
        return await underWay
      } finally {
        underWay = null
      }
    },

    /** Once the service listens: if this is the version of an update, that is over; what it has left behind is removed. */
    begin (): void {
      checks.compare().catch((reason: unknown) =>
        options.log('the last check for updates could not be read', { reason: String(reason) }))
      if (!('root' in installation)) return
      const underWay = ownUpdate(options)
      if (underWay?.step === 'placed' && underWay.started) {
        outcomes.keep({ ok: true, message: updated(underWay) })
        forgetDatabase(stateDir)
      } else if (underWay !== null || !hasLeftovers(installation.root)) return
      tidying = tidy(installation.root, checkout).catch((reason: unknown) =>
        options.log('leftovers of an update could not be removed', { reason: String(reason) }))
    },

    /** Breaks off an update that is being prepared; resolves when it has ended. */
    async stop (): Promise<void> {
      stopping.abort()
      await underWay?.catch(() => {})
      // Also of one that was in place before it could be broken off.
      clearTimeout(timer)
      await tidying
      checkout.leave()
    }
  }
}

export type Updates = ReturnType<typeof createUpdates>

function blocked ({ message, busy }: Blocked, target: string): Applied {
  const { activeStreams, activeRuns, streamIds } = busy
  return {
    ok: false, message, target, restart_blocked: true, active_streams: activeStreams, active_runs: activeRuns,
    blocking_stream_ids: streamIds, blocking_run_ids: streamIds
  }
}
