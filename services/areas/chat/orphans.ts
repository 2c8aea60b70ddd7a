import { setTimeout as delay } from 'node:timers/promises'
import { type ModelChoice } from '../models/index.js'
import { createLeftovers } from './left.js'
import { type Remains } from './parked.js'
import { recoverStream, recoverStreams, type RecoveryOptions } from './recovery.js'
import { type OpenStream } from './rows.js'
import { type TurnStarts } from './starting.js'
import { chatPlan, type PlanAgain, type TurnInput, type TurnPlan } from './turn-plan.js'
import { type Turns } from './turns.js'

export interface OrphansOptions extends RecoveryOptions {
  /** How many model calls a turn may make. */
  steps: number
  remains: Remains
  turns: Turns
  starts: TurnStarts
  /** Of the kinds of turns that are no messages. */
  plansAgain: ReadonlyMap<string, PlanAgain>
}

/** How long a turn that is taken up waits for its model to be looked up. */
const choiceMs = 5_000

/** Streams that are open in the database and have no turn: after a stop of the service, or when their last write failed. */
export function createOrphans (options: OrphansOptions) {
  const { db, sessions, store, remains, turns, starts, plansAgain } = options
  const { leftOfRun } = createLeftovers(options)

  /** Takes a turn up again that a stop of the service has found waiting for a person. */
  function goOn (stream: OpenStream): void {
    const { resume, position, steps, input } = remains.parked(stream)!
    const plan: TurnPlan = { ...planOf(stream, input), resume, steps: Math.max(1, options.steps - steps) }
    const chosen = patiently(() => choose(stream), () => turns.get(stream.streamId)?.is('starting') === true)
    turns.begin({ ...stream, promptsIn: stream.sessionId }, stream.generation, plan, chosen, (recorder) => {
      recorder.restore({ text: '', reasoning: '', countedChars: 0 }, { position, calls: resume.calls })
    })
  }

  /** Takes a turn up again whose run went on elsewhere while the service was not there. False where nobody has a use for it any more. */
  function adopt (stream: OpenStream): boolean {
    const { streamId, generation, provider, model, runSeq } = stream
    const left = leftOfRun(stream)
    const beside = plansAgain.get(stream.kind)?.(stream)
    if (beside === null) return false
    const plan = { ...planOf(stream, remains.inputOf(streamId)), ...beside }
    const turn = turns.make({ ...stream, promptsIn: plan.promptsIn }, generation, plan)
    turn.recorder.goOn(left)
    const named = provider === null || model === null ? null : { provider, id: model }
    // What it says meanwhile is not taken: a provider that is away costs the turn its prices, and nothing else.
    const chosen = Promise.race([choose(stream), delay(choiceMs, { error: 'The model of this turn is not known any more.' }, { ref: false })])
    turns.adopt(turn, chosen, named, runSeq)
    return true
  }

  function planOf ({ streamId, sessionId, kind }: OpenStream, input: TurnInput | null): TurnPlan {
    const jobId = store.jobOf(streamId)
    const budget = jobId === undefined ? {} : { budget: { scope: 'job' as const, id: jobId } }
    return { ...chatPlan(sessionId, { message: '', attachments: [] }), kind, ...budget, input }
  }

  const choose = ({ sessionId, model, provider }: OpenStream): Promise<ModelChoice> =>
    starts.chooseModel(sessions.get(sessionId), model === null ? {} : { model, modelProvider: provider ?? undefined })

  return {
    /** Takes up what only waited or went on elsewhere, and closes what was cut off; the latter are returned. */
    recover: (): OpenStream[] => recoverStreams(options, { goOn, adopt }),

    /** A turn that does nothing but wait for a person, and can go on after a restart. */
    isParked (streamId: string): boolean {
      const stream = store.openStreams().find((candidate) => candidate.streamId === streamId)
      return stream !== undefined && remains.parked(stream) !== null
    },

    /** A stream whose last write failed must not lock its session. */
    close (streamId: string): void {
      // The last frame of a turn that has just ended may not be stored yet.
      db.flush()
      const orphan = store.openStreams().find((stream) => stream.streamId === streamId)
      if (orphan === undefined || turns.get(streamId) !== undefined || starts.isAccepting(streamId)) return
      recoverStream(options, orphan)
      db.flush()
    }
  }
}

/** After a start of the machine a provider may come up later than the service; nobody waits for its answer yet. */
async function patiently (choose: () => Promise<ModelChoice>, isWanted: () => boolean): Promise<ModelChoice> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    const choice = await choose()
    if (!('error' in choice) || !isWanted()) return choice
    await delay(waitMs, undefined, { ref: false })
    if (!isWanted()) return choice
  }
}
