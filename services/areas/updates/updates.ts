import { type Clock } from '../../ground/time/clock.js'
import { type AuditPort } from '../audit/index.js'
import { abandon, applyUpdate, type ApplyOptions, type Done } from './applying.js'
import { createUpdateChecks, type UpdateCheck, type UpdateChecksOptions, type RepoInfo } from './check.js'
import { type Channel } from './checkout.js'
import { failureOf, type Flags } from './failure.js'
import { finishUpdate } from './finishing.js'
import { installedAs } from './installation.js'
import { type Outcome } from './journal.js'
import { createOutcomes } from './outcomes.js'
import { HeldCheckout } from './checkout-lock.js'
import { otherWay, wayTo, type Published } from './published-form.js'
import { Blocked, createRestarting, turnsIn, type RestartingOptions } from './restarting.js'
import { createWaiting, type WaitingOptions, type WaitingUpdate } from './waiting.js'

type StepOptions = Pick<ApplyOptions, 'environment' | 'installation' | 'packageName' | 'stateDir' | 'snapshot' | 'log' | 'trialLimitMs'>

export interface UpdatesOptions extends StepOptions, Pick<UpdateChecksOptions, 'kept'>, Pick<WaitingOptions, 'wish'>, RestartingOptions {
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
  settings: () => { check_for_updates: boolean, update_channel: Channel }
}

export type Applied =
  | ({ ok: boolean, message: string, target: string, restart_scheduled?: true, command?: string } & Flags)
  | { ok: true, message: string, target: string, waiting: true, active_streams: number, active_runs: number }
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

/** `lastUpdate`: how the last one ended. `waiting`: an update that waits for turns. */
type Looked = UpdateCheck & { lastUpdate: Outcome | null, waiting: WaitingUpdate | null }

interface AttemptTools extends Pick<UpdatesOptions, 'audit' | 'settings'> {
  checks: ReturnType<typeof createUpdateChecks>
  restarting: ReturnType<typeof createRestarting>
  checkout: HeldCheckout
  outcomes: ReturnType<typeof createOutcomes>
  signal: AbortSignal
  /** Resolves once the leftovers of the last update are removed. */
  tidied: () => Promise<void>
  /** Called when turns block an update. */
  blocked: (error: Blocked) => void
}

/** Returns the function that tries to update, whose obstacles are answers. */
function createAttempt (
  options: StepOptions,
  { audit, settings, checks, restarting, checkout, outcomes, signal, tidied, blocked: onBlocked }: AttemptTools
): (target: string, now: boolean) => Promise<Applied> {
  const { installation } = options

  return async function attempt (target: string, now: boolean): Promise<Applied> {
    const channel = settings().update_channel
    if ('published' in installation) {
      const advice = adviceOn(installation.published, (await checks.look(channel, { force: true })).webui)
      if (!advice.ok) audit.soonest('update.applied', { message: advice.message }, 'failed')
      return { ...advice, target }
    }
    if (!restarting.isPossible) {
      return { ok: false, message: 'This service runs from its sources and cannot restart itself. Update it with git pull', target }
    }
    let done: Done
    await tidied()
    try {
      done = await applyUpdate({ ...options, ...restarting.guard(now), checkout, signal }, channel)
    } catch (error) {
      restarting.release()
      await abandon(options).catch((reason: unknown) =>
        options.log('leftovers of an update could not be removed', { reason: String(reason) }))
      checkout.leave()
      if (error instanceof Blocked) {
        onBlocked(error)
        return blocked(error, target)
      }
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
    restarting.schedule(done.takesUp)
    return { ok: true, message: done.message, target, restart_scheduled: true, ...done.flags }
  }
}

/** Checks for new versions of this service and updates to them, one update at a time. */
export function createUpdates ({ clock, audit, settings, wish, busy, turns, restart, restartAfterMs, ...options }: UpdatesOptions) {
  const { installation, stateDir } = options
  const stopping = new AbortController()
  const checks = createUpdateChecks({ ...options, clock, signal: stopping.signal })
  let underWay: Promise<Applied> | null = null
  const restarting = createRestarting({ busy, turns, restart, ...(restartAfterMs === undefined ? {} : { restartAfterMs }) })
  let tidying: Promise<void> = Promise.resolve()
  const checkout = new HeldCheckout()
  const outcomes = createOutcomes({ stateDir, clock, log: options.log })
  /** Whether the newest version continues turns that run without the service, as far as an attempt has found out. */
  let takesUp = true
  const isBusy = (): boolean => underWay !== null || restarting.isScheduled
  const attempt = createAttempt(options, {
    audit, settings, checks, restarting, checkout, outcomes, signal: stopping.signal, tidied: async () => await tidying,
    blocked: (error) => { takesUp = error.takesUp }
  })
  const waiting = createWaiting({
    clock, wish, isBusy, left: () => turnsIn(busy(takesUp)), begin: async () => !('restart_blocked' in await run('webui', false))
  })

  /** Runs one update at a time. */
  async function run (target: string, now: boolean): Promise<Applied> {
    if (isBusy()) return { ok: false, message: 'Update already in progress', target }
    underWay = attempt(target, now)
    try {
      return await underWay
    } finally {
      underWay = null
    }
  }

  return {
    installedAs: installedAs(installation),

    /**
     * Returns the last check; null if checks are switched off. Does not use the network. `otherChannel`: whether it was for another channel
     * than that of the settings.
     */
    last (): (Looked & { otherChannel: boolean }) | null {
      const { check_for_updates: isOn, update_channel: channel } = settings()
      if (!isOn) return null
      const seen = checks.last(channel)
      return { ...seen, otherChannel: seen.channel !== channel, lastUpdate: outcomes.last(), waiting: waiting.state() }
    },

    /** Checks whether there is a new version. Returns null if checks are switched off and `force` is not set. */
    async check ({ force, channel }: { force: boolean, channel: Channel | null }): Promise<Looked | null> {
      const set = settings()
      if (!set.check_for_updates && !force) return null
      return { ...await checks.look(channel ?? set.update_channel, { force }), lastUpdate: outcomes.last(), waiting: waiting.state() }
    },

    /**
     * Updates to the newest version and restarts the service. Obstacles are answers, never exceptions: turns that the restart would end
     * block it. With `now` it ends them; with `wait` it waits until they have ended, also over a restart of the service. `cancel`: an
     * update that waits is dropped.
     */
    async apply (target: string, { now = false, wait = false, cancel = false }: ApplyWish = {}): Promise<Applied> {
      if (cancel) {
        const isDropped = waiting.drop()
        return { ok: isDropped, message: isDropped ? 'The update is cancelled' : 'No update is waiting', target }
      }
      const applied = await run(target, now)
      if (!('restart_blocked' in applied)) {
        if (!isBusy() || 'restart_scheduled' in applied) waiting.drop()
        return applied
      }
      if (!wait) return applied
      waiting.wait()
      const { active_streams: streams, active_runs: runs } = applied
      const message = waitsFor(Math.max(streams, runs))
      return { ok: true, message, target, waiting: true, active_streams: streams, active_runs: runs }
    },

    /** Called once the service listens: if this is the version of an update, the update ends; leftovers are removed. */
    begin (): void {
      checks.compare().catch((reason: unknown) =>
        options.log('the last check for updates could not be read', { reason: String(reason) }))
      tidying = finishUpdate(options, checkout, outcomes)
      void tidying.then(() => waiting.takeUp(outcomes.last()?.finishedAtS ?? null))
    },

    /** Aborts an update that is being prepared; resolves when it has ended. */
    async stop (): Promise<void> {
      waiting.stop()
      stopping.abort()
      await underWay?.catch(() => {})
      // Also if the update was in place before it could be aborted.
      restarting.cancel()
      await tidying
      checkout.leave()
    }
  }
}

interface ApplyWish { now?: boolean | undefined, wait?: boolean | undefined, cancel?: boolean | undefined }

const waitsFor = (turns: number): string => turns === 1
  ? 'The update waits for a running turn that the restart would end, and then begins by itself'
  : `The update waits for ${turns} running turns that the restart would end, and then begins by itself`

export type Updates = ReturnType<typeof createUpdates>

function blocked ({ message, busy }: Blocked, target: string): Applied {
  const { activeStreams, activeRuns, streamIds } = busy
  return {
    ok: false, message, target, restart_blocked: true, active_streams: activeStreams, active_runs: activeRuns,
    blocking_stream_ids: streamIds, blocking_run_ids: streamIds
  }
}

/** Returns advice for a published form: only the person who installed it can replace it. */
function adviceOn (published: Published, webui: RepoInfo | null): { ok: boolean, message: string, up_to_date?: true, command?: string } {
  if (webui?.behind === 0) return { ok: true, message: 'This is already the newest version', up_to_date: true }
  const { latest_version: latest, error } = { latest_version: undefined, error: undefined, ...webui }
  return { ok: false, ...error !== undefined ? { message: error } : latest === undefined ? otherWay(published) : wayTo(published, latest) }
}
