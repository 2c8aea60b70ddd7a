import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs, type Clock } from '../../../ground/time/clock.js'
import { type Database } from '../../../ground/database/index.js'
import { type ModelChoice } from '../../models/index.js'
import { type Prompts } from '../../prompts/index.js'
import { type Sessions } from '../../sessions/index.js'
import { type ParkedTurn } from '../parking/rows.js'
import { type OpenStream, type TurnStore } from '../rows.js'
import { type TurnStarts } from '../starting.js'
import { follow as followRun } from '../turn-beginning.js'
import { type TurnLife } from '../turn-life.js'
import { type TurnPlan } from '../turn-plan.js'
import { type Turns } from '../turns.js'
import { type PlansAgain } from './plans-again.js'
import { type ResumableTurns, type UnbegunTurn, type WaitingTurn } from './resumable-turns.js'
import { type ReadStoredRun } from './stored-run.js'

export interface ContinuingOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  store: TurnStore
  prompts: Prompts
  turns: Turns
  starts: TurnStarts
  /** How many model calls a turn may make at most. */
  steps: number
  resumable: ResumableTurns
  readStoredRun: ReadStoredRun
  plans: PlansAgain
}

/** How long a continued turn waits for its model to be looked up. */
const choiceMs = 5_000
/** How long a turn that has not begun waits for its model to become available; after that it ends with an error. */
const beginWithinMs = 120_000

/** Makes turns again of which a stop of the service, or the limit of a provider, has left only rows. */
export function createContinuing (
  { db, clock, sessions, store, prompts, turns, starts, steps: mostSteps, resumable, readStoredRun, plans }: ContinuingOptions
) {
  const choose = ({ sessionId, model, provider }: OpenStream): Promise<ModelChoice> =>
    starts.chooseModel(sessions.get(sessionId), model === null ? {} : { model, modelProvider: provider ?? undefined })
  const isStarting = (streamId: string): boolean => turns.get(streamId)?.phase.is('starting') === true

  return {
    /** Gives a turn that waited for a person a new run, which begins with the open calls. */
    continue (stream: OpenStream, { resume, position, steps, input }: WaitingTurn): void {
      const plan: TurnPlan = { ...plans.ofMessage(stream, input), resume, steps: Math.max(1, mostSteps - steps) }
      const turn = turns.add({ ...stream, promptsIn: stream.sessionId }, stream.generation, plan, (recorder) => {
        recorder.restore({ text: '', reasoning: '', countedChars: 0 }, { position, calls: resume.calls })
      })
      turns.launch(turn, untilChosen(() => choose(stream), () => isStarting(stream.streamId)))
    },

    /** Gives a turn that no host had received its first run. */
    begin (stream: OpenStream, { input, attended }: UnbegunTurn, plan: TurnPlan): void {
      const untilMs = monotonicMs(clock) + beginWithinMs
      const turn = turns.add({ ...stream, promptsIn: plan.promptsIn }, stream.generation, { ...plan, attended })
      turns.launch(turn, untilChosen(
        () => starts.chooseModel(sessions.get(stream.sessionId), input),
        () => isStarting(stream.streamId) && monotonicMs(clock) < untilMs
      ))
    },

    /** Follows the run of a turn that went on while the service was down. Returns false if the turn is no longer needed. */
    follow (stream: OpenStream): boolean {
      const { streamId, generation, provider, model, runSeq } = stream
      // An answer that was being delivered may not have arrived; if it has, the run will say so.
      db.soonest(() => prompts.reopen(streamId))
      const left = readStoredRun(stream)
      const plan = plans.of(stream, resumable.inputOf(streamId))
      if (plan === null) return false
      const turn = turns.add({ ...stream, promptsIn: plan.promptsIn }, generation, plan, (recorder) => recorder.restoreRun(left))
      const named = provider === null || model === null ? null : { provider, id: model }
      // Events of the run are not read before this resolves, so the look-up is limited: an unavailable provider costs the turn its prices,
      // and nothing else.
      const chosen = Promise.race([
        choose(stream), delay(choiceMs, { error: 'The model of this turn is not known any more.' }, { ref: false })
      ])
      void followRun(turn, chosen, named, runSeq)
      return true
    },

    /** Restores a parked turn in memory, with a new generation and without a run. Returns null if it is no longer open. */
    restore ({ streamId, attended }: ParkedTurn): TurnLife | null {
      const generation = db.transaction(() => store.renewGeneration(streamId))
      const stream = store.openStream(streamId)
      if (generation === undefined || stream === undefined) return null
      const left = readStoredRun(stream)
      const { text, reasoning } = left.heard
      const input = left.open.position === -1 ? resumable.inputOf(streamId) : null
      const plan: TurnPlan = {
        ...plans.ofMessage(stream, input),
        attended,
        resume: { calls: [], asks: [], steers: store.pendingSteers(streamId), heard: { text, reasoning } },
        steps: Math.max(1, mostSteps - store.stepsOf(streamId))
      }
      return turns.add({ ...stream, promptsIn: stream.sessionId }, generation, plan, (recorder) => recorder.restoreRun(left))
    }
  }
}

/** Looks up the model again and again while the turn is wanted: after a boot of the machine a provider may start later than the service. */
async function untilChosen (choose: () => Promise<ModelChoice>, isWanted: () => boolean): Promise<ModelChoice> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    const choice = await choose()
    if (!('error' in choice) || !isWanted()) return choice
    await delay(waitMs, undefined, { ref: false })
    if (!isWanted()) return choice
  }
}
