import { type Static } from '@sinclair/typebox'
import { type Started } from '../../../schemas/chat.js'
import { Forbidden } from '../../ground/errors.js'
import { hostField, remoteFolder } from '../../ground/location.js'
import { type Journal } from '../../ground/events/index.js'
import { Listeners } from '../../ground/listeners.js'
import { createStart, type StartOptions } from './accepting.js'
import { createLiveTurns } from './live-turns.js'
import { Parking, type ResumeAnswer, type ResumeWish } from './parking/parking.js'
import { createReaderMarks } from './readers.js'
import { PlansAgain, type ProgramPlan } from './recovery/plans-again.js'
import { createRecovery, type HandedOut } from './recovery/recovery.js'
import { createTurnStore } from './rows.js'
import { createStanding } from './standing.js'
import { TurnStarts, type OpenInput, type StartedTurn, type StartsOptions } from './starting.js'
import { createSteering } from './steering.js'
import { type TurnContext } from './turn-context.js'
import { type TurnEvents } from './turn-events.js'
import { type PlanAgain, type TurnPlan } from './turn-plan.js'
import { Turns } from './turns.js'

/** What turns need: {@link TurnContext} says what for. `chooseModel` finds the model of a turn that is wanted. */
export interface ChatOptions extends Omit<TurnContext, 'listeners' | 'store'>, Pick<StartsOptions, 'assertProfile' | 'chooseModel'> {
  journal: Journal
  expand: StartOptions['expand']
  ready: StartOptions['ready']
}

/** What a person does with turns: start, steer, cancel, look how they stand. What follows from turns listens to `turns`. */
export function createChat (given: ChatOptions) {
  const { sessions } = given
  const store = createTurnStore(given.db)
  const options = { ...given, store }
  const listeners = new Listeners<TurnEvents>((event, error) =>
    given.log('a listener failed after a turn', { event, reason: String(error) }))
  const turns = new Turns({ ...options, listeners })
  const starts = new TurnStarts(turns, options)
  const plans = new PlansAgain(store)
  const recovery = createRecovery({ ...options, turns, starts, plans })
  const parking = new Parking({ ...options, turns, starts, recovery, listeners })
  const readers = createReaderMarks()
  listeners.on('ended', ({ streamId }) => readers.forget(streamId))
  sessions.on('removing', (ids) => turns.stopIn(ids))

  /** Throws Forbidden for sessions in which nobody may speak, and puts a stream out of the way that lives nowhere. */
  function assertSpeakable (sessionId: string): void {
    if (sessions.get(sessionId).readOnly) throw new Forbidden('This session is read-only')
    const active = store.activeStream(sessionId)
    if (active !== undefined && turns.get(active) === undefined && !parking.isParked(active)) recovery.close(active)
  }

  return {
    start: createStart({ ...options, starts, assertSpeakable }),

    /** Opens a turn of another kind, in a session of its own. */
    open: async (input: OpenInput): Promise<StartedTurn> => await starts.answer(await starts.open(input)),

    /** How turns of a kind are taken up after a stop of the service that their runs have outlived on another machine. */
    takeUp: (kind: TurnPlan['kind'], again: PlanAgain): void => plans.takeUp(kind, again),

    /** The start's answer of a live turn that was begun with this very message; null when there is none. */
    already: (sessionId: string, message: string, kind: TurnPlan['kind']): Promise<StartedTurn | null> =>
      starts.already(sessionId, message, kind),

    /** How turns that go on after a stop of the service are planned again where programs have begun them. */
    programsFrom: (find: ProgramPlan): void => plans.programsFrom(find),

    /** The calls that a turn has left to the program that had sent its message, and where they were made; none while it is at work. */
    handedOut: (streamId: string): HandedOut => recovery.handedOut(streamId),

    /** What happens to turns, for what follows from it. */
    turns: { on: listeners.on },

    /** After a start of the service: takes up what only waited, and closes what was cut off. Returns how many of the latter there were. */
    recover (): number {
      const interrupted = recovery.recover()
      // What still runs there has nobody any more: both sides compare what they know as soon as they can reach each other.
      for (const {
        profile, workspace
      } of interrupted) if (remoteFolder(workspace) !== null) given.agent.warm({ profile, ...hostField(workspace) })
      listeners.emit('recovered', interrupted)
      return interrupted.length
    },

    /** Stops a turn and frees its session. False when there was nothing to stop; an unknown id is no error. */
    cancel (streamId: string): boolean {
      const turn = turns.get(streamId)
      if (turn !== undefined) return turn.ending.cancel()
      if (parking.isParked(streamId)) return parking.cancel(streamId)
      recovery.close(streamId)
      return false
    },

    /** Goes on with a turn that waits for the limit of a provider; see Parking. */
    resume: async (wish: ResumeWish): Promise<ResumeAnswer> => await parking.resume(wish),
    /** Goes on with parked turns that are due; their alarm does so by itself. */
    lookAtParked: (): void => parking.look(),
    /** Stops the parked turns of a profile that is about to be deleted. */
    cancelParkedOf: (profile: string): void => parking.cancelOf(profile),
    /** Whether the live turn of a session waits for the limit of a provider. */
    isParked: (streamId: string): boolean => parking.isParked(streamId),
    isParkedIn: (sessionId: string): boolean => parking.isParkedIn(sessionId),

    /** Hands a text to the running turn. It is kept until the run has taken it or handed it back. */
    steer: createSteering({ ...options, turns }),

    ...createStanding(options),
    ...createLiveTurns({ turns, starts, store }),

    /** Whether a turn is in plan mode. */
    isPlanning: store.isPlanning,

    /** Inside a transaction: all that is open of a session, and runs beside it, is in plan mode until it ends. The runs are to be told. */
    plan: store.plan,

    /** How far each client has been sent each live stream. */
    readers,
    /**
     * From now on no turn begins: what a person begins is refused, and what the service begins by itself waits for `release`. For a
     * restart that follows when nothing is at work, nor being accepted.
     */
    hold: (): void => starts.gate.hold(),
    release: (): void => starts.gate.release(),

    shutdown: async (): Promise<void> => await turns.shutdown(({ streamId }) => recovery.isWaiting(streamId))
  }
}

export type Chat = ReturnType<typeof createChat>

/** What the start of a turn answers. */
export function startedToWire ({ streamId, sessionId, startedAtS, title, model }: StartedTurn): Static<typeof Started> {
  return {
    stream_id: streamId,
    session_id: sessionId,
    pending_started_at: startedAtS,
    turn_id: streamId,
    title,
    effective_model: model?.ref.id ?? null,
    effective_model_provider: model?.ref.provider ?? null
  }
}
