import { setTimeout as delay } from 'node:timers/promises'
import { type AgentRuntime } from '../../../agent/index.js'
import { type ClientWishes, type ToolCall } from '../../../agent/protocol.js'
import { monotonicMs } from '../../../ground/clock.js'
import { remoteFolder } from '../../../ground/location.js'
import { type ModelChoice } from '../../models/index.js'
import { type ParkedTurn } from '../parking/rows.js'
import { type OpenStream } from '../rows.js'
import { type TurnStarts } from '../starting.js'
import { follow as followRun } from '../turn-beginning.js'
import { type TurnLife } from '../turn-life.js'
import { chatPlan, outliving, wishesIn, type PlanAgain, type TurnInput, type TurnPlan } from '../turn-plan.js'
import { type Turns } from '../turns.js'
import { createAttempts } from './attempts.js'
import { createClosing, type ClosingOptions } from './closing.js'
import { createRemains, type UnbegunTurn, type WaitingTurn } from './remains.js'
import { createRunRemains } from './run-remains.js'

export interface RecoveryOptions extends Omit<ClosingOptions, 'remains'> {
  /** How many model calls a turn may make. */
  steps: number
  agent: Pick<AgentRuntime, 'expect' | 'has'>
  turns: Turns
  starts: TurnStarts
  /** Of the kinds of turns that are no messages. */
  plansAgain: ReadonlyMap<string, PlanAgain>
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * What becomes of a stream that is open after a stop of the service. *waiting*: all it does is wait for a person, and it is resumed.
 * *unbegun*: its message is stored and no host was given it yet, so it begins.
 * *parked*: it waits for the limit of a provider, and is left as it is.
 * *at work*: its run has outlived the stop, on another machine or in a host of this one, and is followed. *lost*: it was cut off, and is
 * closed.
 */
type Outcome = { kind: 'waiting', turn: WaitingTurn } | { kind: 'unbegun', turn: UnbegunTurn } | { kind: 'parked' } | { kind: 'at work' } | { kind: 'lost' }

/** Calls without a result, in their order. `position`: that of the row which has made them. `atS`: since when they wait. */
export interface HandedOut { calls: ToolCall[], position: number, atS: number }

/** How long a turn that is taken up waits for its model to be looked up. */
const choiceMs = 5_000
/** How long a turn that has not begun waits for its model to be there; after that it ends and says why. */
const beginWithinMs = 120_000

/** Streams that are open in the database and have no turn: after a stop of the service, or when their last write failed. */
export function createRecovery (options: RecoveryOptions) {
  const { agent, db, sessions, store, prompts, turns, starts, plansAgain } = options
  const remains = createRemains(options)
  const remainsOfRun = createRunRemains({ ...options, remains })
  const attempts = createAttempts(options.log)
  const { attempt } = attempts
  let wishesOf: (streamId: string) => ClientWishes | undefined = () => undefined
  const close = createClosing({ ...options, remains }, attempts)

  /** Looks, and changes nothing. */
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

  /** Goes on with a turn that waited for a person. */
  function resume (stream: OpenStream, { resume, position, steps, input }: WaitingTurn): void {
    const plan: TurnPlan = { ...planOf(stream, input), resume, steps: Math.max(1, options.steps - steps) }
    const chosen = patiently(() => choose(stream), () => turns.get(stream.streamId)?.phase.is('starting') === true)
    turns.begin(turns.add({ ...stream, promptsIn: stream.sessionId }, stream.generation, plan, (recorder) => {
      recorder.restore({ text: '', reasoning: '', countedChars: 0 }, { position, calls: resume.calls })
    }), chosen)
  }

  /** Begins with a turn whose service was stopped before it could. */
  function begin (stream: OpenStream, { input }: UnbegunTurn, plan: TurnPlan): void {
    const untilMs = monotonicMs(options.clock) + beginWithinMs
    const isWanted = (): boolean => turns.get(stream.streamId)?.phase.is('starting') === true && monotonicMs(options.clock) < untilMs
    const chosen = patiently(() => starts.chooseModel(sessions.get(stream.sessionId), input), isWanted)
    turns.begin(turns.add({ ...stream, promptsIn: plan.promptsIn }, stream.generation, plan), chosen)
  }

  /** Follows a run that went on while the service was not there. False where nobody has a use for it any more. */
  function follow (stream: OpenStream): boolean {
    const { streamId, generation, provider, model, runSeq } = stream
    // An answer that was on its way may not have arrived; one that has is told of by the run.
    db.soonest(() => prompts.reopen(streamId))
    const left = remainsOfRun(stream)
    const plan = planAgain(stream, remains.inputOf(streamId))
    if (plan === null) return false
    const turn = turns.add({ ...stream, promptsIn: plan.promptsIn }, generation, plan, (recorder) => recorder.restoreRun(left))
    const named = provider === null || model === null ? null : { provider, id: model }
    // What it says meanwhile is not taken: a provider that is away costs the turn its prices, and nothing else.
    const chosen = Promise.race([
      choose(stream), delay(choiceMs, { error: 'The model of this turn is not known any more.' }, { ref: false })
    ])
    void followRun(turn, chosen, named, runSeq)
    return true
  }

  function planOf (stream: OpenStream, input: TurnInput | null): TurnPlan {
    const { streamId, sessionId, kind } = stream
    const budget = store.budgetOf(streamId)
    const client = wishesOf(streamId)
    return {
      ...chatPlan(sessionId, { message: '', attachments: [] }), kind, input, wishes: wishesIn(stream),
      ...(budget === undefined ? {} : { budget }), ...(client === undefined ? {} : { client })
    }
  }

  /** Null: nobody has a use for the turn any more. */
  function planAgain (stream: OpenStream, input: TurnInput | null): TurnPlan | null {
    const beside = plansAgain.get(stream.kind)?.(stream)
    return beside === null ? null : { ...planOf(stream, input), ...beside }
  }

  const choose = ({ sessionId, model, provider }: OpenStream): Promise<ModelChoice> =>
    starts.chooseModel(sessions.get(sessionId), model === null ? {} : { model, modelProvider: provider ?? undefined })

  return {
    wishesFrom (find: typeof wishesOf): void { wishesOf = find },

    handedOut (streamId: string): HandedOut {
      const summary = store.summary(streamId)
      if (summary?.terminalState !== 'client_calls') return { calls: [], position: -1, atS: 0 }
      const { calls, position } = remains.openCalls(streamId)
      return { calls, position, atS: summary.finishedAt ?? summary.startedAt }
    },

    /** After a start of the service: decides what becomes of each open stream, and does it. Returns those that were lost. */
    recover (): OpenStream[] {
      db.catchUp()
      db.soonest(() => prompts.dropUnreadable())
      const lost: OpenStream[] = []
      const waiting: Array<() => void> = []
      for (const stream of store.openStreams()) {
        const outcome = attempt(stream, () => outcomeOf(stream)) ?? { kind: 'lost' }
        if (outcome.kind === 'parked') db.soonest(() => store.parkAgain(stream.streamId))
        else if (outcome.kind === 'waiting') waiting.push(() => resume(stream, outcome.turn))
        else if (outcome.kind === 'unbegun') {
          const { input, attended } = outcome.turn
          const plan = attempt(stream, () => planAgain(stream, input)) ?? null
          if (plan === null) lost.push(stream)
          else waiting.push(() => begin(stream, outcome.turn, { ...plan, attended }))
        } else if (outcome.kind === 'lost' || attempt(stream, () => follow(stream)) !== true) lost.push(stream)
      }
      agent.expect(turns.all().map(({ streamId: runId, generation }) => ({ runId, generation })))
      lost.forEach(close)
      // On a full disk all of this waits until there is room; nothing of it is asked for before.
      db.soonest(() => prompts.dropOrphans())
      for (const goOn of waiting) goOn()
      return lost
    },

    /**
     * Has a turn live again that has waited for a limit, with a generation of its own; nobody has launched it yet. Null where there is
     * nothing left of it.
     */
    revive ({ streamId, attended }: ParkedTurn): TurnLife | null {
      const generation = db.transaction(() => store.renewGeneration(streamId))
      const stream = store.openStreams().find((candidate) => candidate.streamId === streamId)
      if (generation === undefined || stream === undefined) return null
      const left = remainsOfRun(stream)
      const { text, reasoning } = left.heard
      const input = left.open.position === -1 ? remains.inputOf(streamId) : null
      const plan: TurnPlan = {
        ...planOf(stream, input),
        attended,
        resume: { calls: [], asks: [], steers: store.pendingSteers(streamId), heard: { text, reasoning } },
        steps: Math.max(1, options.steps - store.stepsOf(streamId))
      }
      return turns.add({ ...stream, promptsIn: stream.sessionId }, generation, plan, (recorder) => recorder.restoreRun(left))
    },

    /** Whether all that a turn does is wait, for a person, for a limit to pass or for a host, so that it can go on after a restart. */
    isWaiting (streamId: string): boolean {
      if (store.parked(streamId) !== undefined) return true
      const stream = store.openStreams().find((candidate) => candidate.streamId === streamId)
      return stream !== undefined && (remains.unbegun(stream) ?? remains.waiting(stream)) !== null
    },

    /** A stream whose last write failed must not lock its session. */
    close (streamId: string): void {
      // The last frame of a turn that has just ended may not be stored yet.
      db.flush()
      const orphan = store.openStreams().find((stream) => stream.streamId === streamId)
      if (orphan === undefined || turns.get(streamId) !== undefined || starts.isAccepting(streamId)) return
      if (store.parked(streamId) !== undefined) return
      close(orphan)
      db.flush()
    }
  }
}

export type Recovery = ReturnType<typeof createRecovery>

/** After a start of the machine a provider may come up later than the service; nobody waits for its answer yet. */
async function patiently (choose: () => Promise<ModelChoice>, isWanted: () => boolean): Promise<ModelChoice> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    const choice = await choose()
    if (!('error' in choice) || !isWanted()) return choice
    await delay(waitMs, undefined, { ref: false })
    if (!isWanted()) return choice
  }
}
