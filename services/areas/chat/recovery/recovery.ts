import { type AgentRuntime } from '../../../agent/index.js'
import { type ToolCall } from '../../../agent/protocol.js'
import { remoteFolder } from '../../../ground/location.js'
import { type OpenStream } from '../rows.js'
import { outliving } from '../turn-plan.js'
import { createStreamAttempts } from './attempts.js'
import { createClosing, type ClosingOptions } from './closing.js'
import { createRemains, type UnbegunTurn, type WaitingTurn } from './remains.js'
import { createRunRemains } from './run-remains.js'
import { createTakingUp, type TakingUpOptions } from './taking-up.js'
import { createUnfinishedSteps } from './unfinished.js'

export interface RecoveryOptions extends Omit<ClosingOptions, 'unfinished'>, Omit<TakingUpOptions, 'remains' | 'remainsOfRun'> {
  agent: Pick<AgentRuntime, 'expect' | 'has'>
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * What happens to a stream that is open after a stop of the service. *waiting*: the turn only waits for a person, and is resumed.
 * *unbegun*: its message is stored but no host has received it yet, so it begins. *parked*: it waits for the limit of a provider, and stays
 * as it is. *at work*: its run has survived the stop, on another machine or in a host of this one, and is followed. *lost*: it was
 * interrupted, and is closed.
 */
type Outcome = { kind: 'waiting', turn: WaitingTurn } | { kind: 'unbegun', turn: UnbegunTurn } | { kind: 'parked' } | { kind: 'at work' } | { kind: 'lost' }

/** Calls without a result, in their order. `position`: that of the row which made them. `atS`: since when they wait, in epoch seconds. */
export interface HandedOut { calls: ToolCall[], position: number, atS: number }

/** Handles streams that are open in the database but have no turn: after a stop of the service, or when their last write failed. */
export function createRecovery (options: RecoveryOptions) {
  const { agent, db, store, prompts, turns, starts, plans } = options
  const unfinished = createUnfinishedSteps(options)
  const remains = createRemains({ ...options, unfinished })
  const takingUp = createTakingUp({ ...options, remains, remainsOfRun: createRunRemains({ ...options, unfinished }) })
  const attempts = createStreamAttempts(options.log)
  const { attempt } = attempts
  const close = createClosing({ ...options, unfinished }, attempts)

  /** Determines the outcome without changing anything. */
  function outcomeOf (stream: OpenStream): Outcome {
    const { state, workspace, kind, streamId: runId, generation } = stream
    const isAtWork = remoteFolder(workspace) !== null || agent.has({ runId, generation })
    const parked = state === 'active' ? store.parked(stream.streamId) : undefined
    if (parked !== undefined && !(parked.isResuming && isAtWork)) return { kind: 'parked' }
    const unbegun = remains.unbegun(stream)
    if (unbegun !== null) return { kind: 'unbegun', turn: unbegun }
    if (state === 'active' && outliving.includes(kind) && isAtWork) return { kind: 'at work' }
    const turn = remains.waiting(stream)
    return turn === null ? { kind: 'lost' } : { kind: 'waiting', turn }
  }

  /**
   * Continues the turn of a stream; `later` collects actions that must wait until lost streams are closed. Returns false if the turn is
   * lost or no longer needed.
   */
  function goOn (stream: OpenStream, outcome: Outcome, later: (act: () => void) => void): boolean {
    switch (outcome.kind) {
      case 'lost': return false
      case 'parked':
        db.soonest(() => store.parkAgain(stream.streamId))
        return true
      case 'at work': return takingUp.follow(stream)
      case 'waiting':
        later(() => takingUp.resume(stream, outcome.turn))
        return true
      case 'unbegun': {
        const plan = plans.of(stream, outcome.turn.input)
        if (plan === null) return false
        later(() => takingUp.begin(stream, outcome.turn, plan))
        return true
      }
    }
  }

  return {
    revive: takingUp.revive,

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
      const waiting: Array<() => void> = []
      const lost = store.openStreams().filter((stream) => {
        const outcome = attempt(stream, () => outcomeOf(stream)) ?? { kind: 'lost' }
        return attempt(stream, () => goOn(stream, outcome, (act) => waiting.push(act))) !== true
      })
      agent.expect(turns.all().map(({ streamId: runId, generation }) => ({ runId, generation })))
      lost.forEach(close)
      // On a full disk all of these writes wait for space; nothing reads their results before.
      db.soonest(() => prompts.dropOrphans())
      for (const goOn of waiting) goOn()
      return lost
    },

    /** Whether a turn only waits, for a person, for a limit to pass or for a host, so that it can continue after a restart. */
    isWaiting (streamId: string): boolean {
      if (store.parked(streamId) !== undefined) return true
      const stream = store.openStream(streamId)
      return stream !== undefined && (remains.unbegun(stream) ?? remains.waiting(stream)) !== null
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
