import { type Static } from '@sinclair/typebox'
import { type Started } from '../../../schemas/chat.js'
import { Forbidden } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type Journal } from '../../ground/events/index.js'
import { Listeners } from '../../ground/listeners.js'
import { createLiveTurns } from './live-turns.js'
import { Parking, type ResumeAnswer, type ResumeWish } from './parking/parking.js'
import { createReaderMarks } from './readers.js'
import { PlansAgain, type ProgramPlan } from './recovery/plans-again.js'
import { createRecovery, type HandedOut } from './recovery/recovery.js'
import { createTurnStore } from './rows.js'
import { createMessageDoor, type SendOptions } from './sending.js'
import { createTurnStates } from './turn-states.js'
import { TurnStarts, type OpenInput, type StartedTurn, type StartsOptions } from './starting.js'
import { createSteering } from './steering.js'
import { type TurnContext } from './turn-context.js'
import { type TurnEvents } from './turn-events.js'
import { type PlanAgain, type TurnPlan } from './turn-plan.js'
import { Turns } from './turns.js'

/** What turns need; see {@link TurnContext}. `chooseModel` finds the model for a new turn. */
export interface ChatOptions extends Omit<TurnContext, 'listeners' | 'store'>, Pick<StartsOptions, 'assertProfile' | 'chooseModel'> {
  journal: Journal
  expand: SendOptions['expand']
  ready: SendOptions['ready']
}

/** The operations on turns: start, steer, cancel, read their state. Consequences of turns are listeners on `turns`. */
export function createChat (given: ChatOptions) {
  const { sessions } = given
  const store = createTurnStore(given.db)
  const options = { ...given, store }
  const listeners = new Listeners<TurnEvents>((event, error) =>
    given.log('a listener failed after a turn', { event, reason: String(error) }))
  const turns = new Turns({ ...options, listeners })
  const starts = new TurnStarts(turns, options)
  const plans = new PlansAgain(store)
  const recovery = createRecovery({ ...options, listeners, turns, starts, plans })
  const parking = new Parking({ ...options, turns, starts, recovery, listeners })
  const readers = createReaderMarks()
  listeners.on('ended', ({ streamId }) => readers.forget(streamId))
  sessions.on('removing', (ids) => turns.stopIn(ids))

  /** Throws Forbidden for read-only sessions. Closes a stream whose turn lives nowhere. */
  function assertSpeakable (sessionId: string): void {
    if (sessions.get(sessionId).readOnly) throw new Forbidden('This session is read-only')
    const active = store.activeStream(sessionId)
    if (active !== undefined && turns.get(active) === undefined && !parking.isParked(active)) recovery.close(active)
  }

  return {
    ...createMessageDoor({ ...options, starts, assertSpeakable }),

    /**
     * The door for turns that no message in a conversation begins: a job's run, a side question, a background task, a sub-agent. Each gets
     * a session that is made together with it; its text is neither a command nor anybody's message.
     */
    open: async (input: OpenInput): Promise<StartedTurn> => await starts.answer(await starts.open(input)),

    /** Sets how turns of a kind are planned again that begin, or are followed, after a restart of the service. */
    planAgain: (kind: TurnPlan['kind'], again: PlanAgain): void => plans.register(kind, again),

    /** Returns what the start of a live turn with this same message answered; null if there is none. */
    already: (sessionId: string, message: string, kind: TurnPlan['kind']): Promise<StartedTurn | null> =>
      starts.already(sessionId, message, kind),

    /** Sets how turns that programs began are planned again after a restart of the service. */
    planProgramsAgain: (find: ProgramPlan): void => plans.registerPrograms(find),

    /** Returns the calls that a turn left to the client program that sent its message, and where they were made; none while it runs. */
    handedOut: (streamId: string): HandedOut => recovery.handedOut(streamId),

    /** Events of turns, for listeners. */
    turns: { on: listeners.on },

    /**
     * Called when the service starts: begins, continues and follows the turns that were left, and closes those that were lost. Returns the
     * number of the latter.
     */
    recover (): number {
      const interrupted = recovery.recover()
      warmMachines(interrupted, given.agent)
      listeners.emit('recovered', interrupted)
      return interrupted.length
    },

    /** Stops a turn and frees its session. Returns false if there was nothing to stop; an unknown id is no error. */
    cancel (streamId: string): boolean {
      const turn = turns.get(streamId)
      if (turn !== undefined) return turn.ending.cancel()
      if (parking.isParked(streamId)) return parking.cancel(streamId)
      recovery.close(streamId)
      return false
    },

    ...parkedTurns(parking),

    /** Passes a text to the running turn. It is kept until the run has taken it or returned it. */
    steer: createSteering({ ...options, turns }),

    ...createTurnStates(options),
    ...createLiveTurns({ turns, starts, store }),

    /** Whether a turn is in plan mode. */
    isPlanning: store.isPlanning,

    /** Puts a session's open turns, and those beside it, into plan mode until they end. Inside a transaction; does not tell the runs. */
    plan: store.plan,

    /** How far each client has been sent each live stream. */
    readers,
    /**
     * Lets no turn begin from now on: turns that a person begins are refused, and those that the service begins wait for `release`. Used
     * before a restart that happens when no turn is running or being accepted.
     */
    hold: (): void => starts.gate.hold(),
    release: (): void => starts.gate.release(),

    shutdown: async (): Promise<void> => await turns.shutdown(({ streamId }) => recovery.isWaiting(streamId))
  }
}

/** The part of the interface for turns that wait for the limit of a provider. */
function parkedTurns (parking: Parking) {
  return {
    /** Resumes a parked turn; see Parking. */
    resume: async (wish: ResumeWish): Promise<ResumeAnswer> => await parking.resume(wish),
    /** Resumes the parked turns that are due. Their alarm does so, too. */
    resumeDue: (): void => parking.resumeDue(),
    /** Stops the parked turns of a profile that is about to be deleted. */
    cancelParkedOf: (profile: string): void => parking.cancelOf(profile),
    /** Whether the live turn of a session waits for the limit of a provider. */
    isParked: (streamId: string): boolean => parking.isParked(streamId),
    isParkedIn: (sessionId: string): boolean => parking.isParkedIn(sessionId)
  }
}

/** Runs on machines may no longer have a turn: both sides compare their runs as soon as they can reach each other. */
function warmMachines (
  interrupted: ReadonlyArray<{ profile: string, workspace: string }>, agent: Pick<ChatOptions['agent'], 'warm'>
): void {
  for (const { profile, workspace } of interrupted) {
    const machine = remoteFolder(workspace)?.machine
    if (machine !== undefined) agent.warm({ profile, machine })
  }
}

export type Chat = ReturnType<typeof createChat>

/** Returns the answer to the start of a turn, as the wire has it. */
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
