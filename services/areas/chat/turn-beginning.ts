import { type ModelRef, type RunError, type RunSpec } from '../../agent/protocol.js'
import { type SystemPrompt } from '../../agent/index.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { Unavailable } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type ChosenModel, type ModelChoice } from '../models/index.js'
import { type SessionRow } from '../sessions/index.js'
import { parkUnheard } from './parking/at-limit.js'
import { historyOf, runSpec, thresholdOf, type History } from './run-spec.js'
import { type ModelName } from './turn-context.js'
import { lostHint } from './turn-hearing.js'
import { type TurnLife } from './turn-life.js'

const unreachableHint = 'Your message is kept. Send it again when the machine is back, or give this chat another folder.'
const notFollowed: RunError = {
  type: 'interrupted', message: 'The turn could not be continued after a restart of the service.', hint: lostHint
}
const notStarted: RunError = { type: 'error', message: 'The turn could not be started; the log of the service has the details.' }

/** For turns that begin together. */
const pause = createPace()

/** Gives a turn to another host, with the next generation. */
export type Relaunch = (turn: TurnLife, generation: number, choice: ChosenModel) => void

/** Gathers what the run of a turn needs, and gives it to a host. If that dies at once, `relaunch` gives it to another. Never rejects. */
export async function launch (turn: TurnLife, chosen: Promise<ModelChoice>, relaunch: Relaunch): Promise<void> {
  try {
    await tryToLaunch(turn, chosen, relaunch)
  } catch (error) {
    // The machine of its workspace is away.
    turn.ending.broke('a turn could not be started', error, error instanceof Unavailable
      ? { type: 'host_unreachable', message: error.message, hint: unreachableHint }
      : notStarted)
  }
}

async function tryToLaunch (turn: TurnLife, chosen: Promise<ModelChoice>, relaunch: Relaunch): Promise<void> {
  const { plan, context, phase, streamId, sessionId } = turn
  const [wanted] = await Promise.all([chosen, plan.slot])
  if (!phase.is('starting')) return
  const choice = 'error' in wanted ? await context.fallback(turn.session, []) ?? wanted : wanted
  if (!phase.is('starting')) return
  if ('error' in choice) return turn.ending.fail({ type: 'model_not_found', message: choice.error })
  const { session } = turn
  const { ref, label, contextLength } = choice
  turn.answersWith(choice)
  if ('error' in wanted) {
    turn.know(choice)
    turn.recorder.apply([{
      runId: streamId, t: 'fallback', provider: ref.provider, id: ref.id, message: `${wanted.error} ${label} goes on.`
    }])
  }
  tellBroken(turn)
  const { personality = session.personality } = plan.wishes ?? {}
  const prompt = await context.systemPrompt({ ...session, personality: personality === '' ? null : personality })
  const history = await historyOf(context.sessions, sessionId, plan)
  if (!phase.is('starting')) return
  const thresholdTokens = thresholdOf(context.rules(session.profile), contextLength)
  await mark(turn, () => {
    context.store.nameModel(streamId, ref.provider, ref.id)
    context.sessions.rows.setThreshold(sessionId, thresholdTokens)
  })
  // What began together is stored together. Without a pause, running turns would wait until all of it is prepared.
  await pause()
  if (!phase.is('starting')) return
  // Nothing is awaited from here on: yolo, grants and plan mode are as they are now, and a run that has started is told of changes.
  const spec = specOf(turn, { session, history, model: ref, window: contextLength, prompt })
  phase.enter('running')
  turn.machine = remoteFolder(session.workspace)?.machine
  context.agent.start(spec, turn.hearing.observer(() => parkUnheard(turn) || relaunchUnheard(turn, choice, relaunch)))
}

/** Follows a run that continued while the service was away, from the event after number `after`. Never rejects. */
export async function follow (turn: TurnLife, chosen: Promise<ModelChoice>, named: ModelName | null, after: number): Promise<void> {
  const { phase, context, ending } = turn
  // Otherwise it would continue without a turn.
  const stopRun = (): void => { ending.stopRun().catch(() => {}) }
  phase.enter('running')
  turn.machine = remoteFolder(turn.session.workspace)?.machine
  try {
    const choice = await chosen
    const known = !('error' in choice) ? choice : named === null ? null : { ref: named, contextLength: null, cost: null }
    if (known === null) {
      // Its usage would be counted as another model's.
      ending.fail({ type: 'model_not_found', message: 'error' in choice ? choice.error : '' })
      return stopRun()
    }
    turn.answersWith(known)
    // The run already has its history and instructions.
    const spec = specOf(turn, {
      session: turn.session, history: { messages: [], summary: null }, model: known.ref, window: known.contextLength ?? 0,
      prompt: { system: [] }
    })
    context.agent.follow(spec, after, turn.hearing.observer(() => parkUnheard(turn)))
    // The turn was stopped meanwhile.
    if (!turn.isRunning) stopRun()
  } catch (error) {
    ending.broke('a turn could not be followed', error, notFollowed)
    stopRun()
  }
}

function specOf (
  turn: TurnLife, given: { session: SessionRow, history: History, model: ModelRef, window: number, prompt: SystemPrompt }
): RunSpec {
  const { context, streamId, trace, generation, plan, account } = turn
  return runSpec(context, {
    ...given, streamId, trace, generation, plan, isBudgeted: context.budgets.holds(account), isPlanning: context.store.isPlanning(streamId)
  })
}

/** Stores that a host receives the turn before it does, because the run may have effects at once. A continued turn had a host before. */
async function mark ({ plan, streamId, generation, context: { db, store } }: TurnLife, write: () => void): Promise<void> {
  if (plan.resume !== undefined) return db.enqueue({ write })
  await new Promise<void>((resolve, reject) => {
    db.enqueue({
      durable: true,
      write: () => {
        write()
        store.begun(streamId, generation)
      },
      committed: resolve,
      refused: reject
    })
  })
}

/** Warns of a budget that has no effect because it is misspelled: nobody would notice otherwise. */
function tellBroken ({ plan, profile, streamId, recorder, context: { budgets } }: TurnLife): void {
  const message = plan.serves === undefined ? budgets.broken(profile) : null
  if (message !== null) recorder.apply([{ runId: streamId, t: 'warning', kind: 'budget', message }])
}

/** Gives a turn to another host, once, if its run has sent nothing: a run sends an event before it has any effect. */
function relaunchUnheard (turn: TurnLife, choice: ChosenModel, relaunch: Relaunch): boolean {
  const { plan: { resume, isRelaunched }, context: { db, store }, streamId } = turn
  // Another maker's agent may have acted without saying so yet, and another machine may still have the run.
  const isElsewhere = turn.machine !== undefined || choice.ref.isAgent === true
  if (!turn.hearing.isUnheard || resume !== undefined || isRelaunched === true || isElsewhere) return false
  const generation = db.transaction(() => store.renewGeneration(streamId))
  if (generation === undefined) return false
  turn.ending.leave()
  relaunch(turn, generation, choice)
  return true
}
