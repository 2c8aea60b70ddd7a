import { type BudgetAsk, type ModelRef } from '../../agent/protocol.js'
import { type Account } from '../budgets/index.js'
import { type TurnTask } from '../models/index.js'
import { type TurnStore } from './rows.js'
import { type TurnStarts } from './starting.js'
import { type ModelName } from './turn-context.js'
import { type Turn, type TurnActivity } from './turn-events.js'
import { type LivePhase } from './turn-phase.js'
import { type Turns } from './turns.js'

/** A run, and the session in which it asks. */
interface LiveRun { profile: string, runId: string, promptsIn: string }

const runOf = ({ profile, streamId, promptsIn }: Turn): LiveRun => ({ profile, runId: streamId, promptsIn })

/** The turns that live in this process: what they do, and the answers to their runs. */
export function createLiveTurns ({ turns, starts, store }: { turns: Turns, starts: TurnStarts, store: TurnStore }) {
  return {
    /** Returns a turn that lives in this process. */
    turn: (streamId: string): Turn | undefined => turns.get(streamId),

    /** Returns what the live turn of a session is doing; undefined if there is none. */
    activityOf: (sessionId: string): TurnActivity | undefined => turns.ofSession(sessionId)?.activity,
    /** Returns what each turn of this process is doing. */
    activities: (): TurnActivity[] => turns.all().map(({ activity }) => activity),

    /** Whether every turn of a session has sent its last frame. */
    isSettled: (sessionId: string): boolean =>
      turns.all().every((turn) => turn.sessionId !== sessionId) && store.parkedIn(sessionId) === undefined,

    /** Returns the live runs whose prompts are shown in a session, for controls that concern all of them. */
    liveRuns: (sessionId: string): LiveRun[] => turns.all().filter((turn) => turn.promptsIn === sessionId && turn.isRunning).map(runOf),

    /** Returns the live runs that work with the files of a profile. */
    liveRunsOf: (profile: string): LiveRun[] => turns.all().filter((turn) => turn.profile === profile && turn.isRunning).map(runOf),

    /** Returns the account whose budgets the live turn of a session uses. */
    liveAccount: (sessionId: string): Account | undefined => turns.ofSession(sessionId)?.account,

    /** Answers a run that needs another model; null if there is none. */
    fallback: async (streamId: string, { tried }: { tried: readonly ModelName[] }): Promise<ModelRef | null> =>
      await turns.get(streamId)?.fallback(tried) ?? null,
    smallTaskModel: async (streamId: string, { slot, beside }: { slot: TurnTask, beside: ModelName }): Promise<ModelRef | null> =>
      await turns.get(streamId)?.smallTaskModel(slot, beside) ?? null,

    /** Answers a run that is about to call a model: with what a person has to be asked first, or null if it may call. */
    budget: async (streamId: string): Promise<BudgetAsk | null> => turns.get(streamId)?.budget() ?? null,

    activeTurns: (): number => turns.count(),
    activeStreamIds: (): string[] => turns.all().map(({ streamId }) => streamId),
    /** Returns how many turns are in each phase, for metrics. */
    phases: (): Record<LivePhase | 'parked', number> => ({ ...turns.phases(), parked: store.parkedTurns() }),
    /** Returns how many turns are about to begin: their messages are being stored. */
    acceptedTurns: (): number => starts.accepting(),
    /** Returns the turns that end with this process, because their runs cannot outlive it. */
    endedByRestart: (): string[] => turns.all().filter(({ outlives }) => !outlives).map(({ streamId }) => streamId),
    /** Whether a turn of this profile is not over yet. */
    isBusy: (profile: string): boolean => starts.isAcceptingIn(profile) || turns.all().some((turn) => turn.profile === profile)
  }
}
