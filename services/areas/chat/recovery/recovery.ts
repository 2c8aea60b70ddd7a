import { type AgentRuntime } from '../../../agent/index.js'
import { type ToolCall } from '../../../agent/protocol.js'
import { remoteFolder } from '../../../ground/remote-folder.js'
import { type OpenStream } from '../rows.js'
import { outliving } from '../turn-plan.js'
import { createClosing, type ClosingOptions } from './closing.js'
import { createContinuing, type ContinuingOptions } from './continuing.js'
import { createGuard } from './guard.js'
import { createResumableTurns, type UnbegunTurn, type WaitingTurn } from './resumable-turns.js'
import { createStoredRunReader } from './stored-run.js'
import { createUnfinishedSteps } from './unfinished.js'
import { type Log } from '../../../ground/log.js'

export interface RecoveryOptions extends Omit<ClosingOptions, 'unfinished'>, Omit<ContinuingOptions, 'resumable' | 'readStoredRun'> {
  agent: Pick<AgentRuntime, 'expect' | 'has' | 'neverHad'>
  log: Log
}

/**
 * What a stop of the service has made of a turn. *waiting*: nothing of it runs, and it is not over. It waits for a person, and continues;
 * for a host, which has not received it yet, and begins; or for the limit of a provider, and stays parked. *elsewhere*: its run has
 * outlived the service, on another machine or in a host of this one, and is followed. *lost*: it was interrupted, and is closed.
 */
type Outcome =
  | { kind: 'waiting', for: 'person', turn: WaitingTurn }
  | { kind: 'waiting', for: 'host', turn: UnbegunTurn }
  | { kind: 'waiting', for: 'limit' }
  | { kind: 'elsewhere' }
  | { kind: 'lost' }

/** Calls without a result, in their order. `position`: that of the row which made them. `atS`: since when they wait, in epoch seconds. */
export interface HandedOut { calls: ToolCall[], position: number, atS: number }

/**
 * Handles streams that are open in the database but have no turn: after a stop of the service, or when their last write failed. Its words
 * are those of docs/architecture.md, *After a crash*.
 */
export function createRecovery (options: RecoveryOptions) {
  const { agent, db, store, prompts, turns, starts, plans } = options
  const unfinished = createUnfinishedSteps(options)
  const resumable = createResumableTurns({ ...options, unfinished })
  const continuing = createContinuing({ ...options, resumable, readStoredRun: createStoredRunReader({ ...options, unfinished }) })
  const { guard, report } = createGuard(options.log)
  const close = createClosing({ ...options, unfinished }, { guard, report })

  /** Determines the outcome without changing anything. */
  function outcomeOf (stream: OpenStream): Outcome {
    const { state, workspace, kind, streamId: runId, generation } = stream
    const isRemote = remoteFolder(workspace) !== null
    const hasRun = isRemote || agent.has({ runId, generation })
    const parked = state === 'active' ? store.parked(stream.streamId) : undefined
    if (parked !== undefined && !(parked.isResuming && hasRun)) return { kind: 'waiting', for: 'limit' }
    const unbegun = resumable.unbegun(stream) ?? (!isRemote && agent.neverHad({ runId, generation }) ? resumable.unheard(stream) : null)
    if (unbegun !== null) return { kind: 'waiting', for: 'host', turn: unbegun }
    if (state === 'active' && outliving.includes(kind) && hasRun) return { kind: 'elsewhere' }
    const turn = resumable.waiting(stream)
    return turn === null ? { kind: 'lost' } : { kind: 'waiting', for: 'person', turn }
  }

  /**
   * Does what must be done before lost turns are closed. Returns what is to be done after that, if anything; null if the turn is lost, or
   * is no longer needed.
   */
  function prepare (stream: OpenStream, outcome: Outcome): (() => void) | null {
    if (outcome.kind === 'lost') return null
    if (outcome.kind === 'elsewhere') return continuing.follow(stream) ? () => {} : null
    switch (outcome.for) {
      case 'person': return () => continuing.continue(stream, outcome.turn)
      case 'host': {
        const plan = plans.of(stream, outcome.turn.input)
        return plan === null ? null : () => continuing.begin(stream, outcome.turn, plan)
      }
      case 'limit':
        db.soonest(() => store.parkAgain(stream.streamId))
        return () => {}
    }
  }

  return {
    restore: continuing.restore,

    handedOut (streamId: string): HandedOut {
      const summary = store.summary(streamId)
      if (summary?.terminalState !== 'client_calls') return { calls: [], position: -1, atS: 0 }
      const { calls, position } = unfinished.openCalls(streamId)
      return { calls, position, atS: summary.finishedAt ?? summary.startedAt }
    },

    /** Called after a start of the service: determines and carries out the outcome of each open stream. Returns those that were lost. */
    recover (): OpenStream[] {
      db.catchUp()
      db.soonest(() => prompts.dropUnreadable())
      const lost: OpenStream[] = []
      const launches: Array<{ stream: OpenStream, launch: () => void }> = []
      for (const stream of store.openStreams()) {
        const outcome = guard(stream, () => outcomeOf(stream)) ?? { kind: 'lost' }
        const launch = guard(stream, () => prepare(stream, outcome)) ?? null
        if (launch === null) lost.push(stream)
        else launches.push({ stream, launch })
      }
      agent.expect(turns.all().map(({ streamId: runId, generation }) => ({ runId, generation })))
      lost.forEach(close)
      for (const { stream, launch } of launches) {
        const isLaunched = guard(stream, () => {
          launch()
          return true
        })
        if (isLaunched === true) continue
        close(stream)
        lost.push(stream)
      }
      // On a full disk all of these writes wait for space; nothing reads their results before.
      db.soonest(() => prompts.dropOrphans())
      return lost
    },

    /** Whether a turn only waits, for a person, for a limit to pass or for a host, so that it can continue after a restart. */
    isWaiting (streamId: string): boolean {
      if (store.parked(streamId) !== undefined) return true
      const stream = store.openStream(streamId)
      return stream !== undefined && (resumable.unbegun(stream) ?? resumable.waiting(stream)) !== null
    },

    /** Closes a stream whose last write failed, because it must not lock its session. */
    close (streamId: string): void {
      // The last frame of a turn that has just ended may not be stored yet.
      db.flush()
      const orphan = store.openStream(streamId)
      if (orphan === undefined || turns.get(streamId) !== undefined || starts.isAccepting(streamId)) return
      if (store.parked(streamId) !== undefined) return
      close(orphan)
      db.flush()
    }
  }
}

export type Recovery = ReturnType<typeof createRecovery>
