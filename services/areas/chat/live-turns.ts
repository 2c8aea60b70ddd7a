import { type BudgetAsk, type ModelRef } from '../../agent/protocol.js'
import { type Account } from '../budgets/index.js'
import { type TurnTaskSlot } from '../models/index.js'
import { type TurnStore } from './rows.js'
import { type TurnStarts } from './starting.js'
import { type ModelName } from './turn-context.js'
import { type Turn, type TurnActivity } from './turn-events.js'
import { type LivePhase } from './turn-phase.js'
import { type Turns } from './turns.js'

interface LiveRun { profile: string, runId: string }

const runOf = ({ profile, streamId }: Turn): LiveRun => ({ profile, runId: streamId })

/** What the turns do that live in this process, and what their runs ask. */
export function createLiveTurns ({ turns, starts, store }: { turns: Turns, starts: TurnStarts, store: TurnStore }) {
  return {
    /** A turn that lives in this process. */
    turn: (streamId: string): Turn | undefined => turns.get(streamId),

    /** What the turn does that is live in a session; undefined: none is. */
    activityOf: (sessionId: string): TurnActivity | undefined => turns.ofSession(sessionId)?.activity,
    /** What each turn does that lives in this process. */
    activities: (): TurnActivity[] => turns.all().map(({ activity }) => activity),

    /** Whether every turn of a session has had its last frame. */
    isSettled: (sessionId: string): boolean =>
      turns.all().every((turn) => turn.sessionId !== sessionId) && store.parkedIn(sessionId) === undefined,

    /** The live runs whose prompts a session shows, for controls that are not the turn's own. */
    liveRuns: (sessionId: string): LiveRun[] => turns.all().filter((turn) => turn.promptsIn === sessionId && turn.isRunning).map(runOf),

    /** The live runs that work with the files of a profile. */
    liveRunsOf: (profile: string): LiveRun[] => turns.all().filter((turn) => turn.profile === profile && turn.isRunning).map(runOf),

    /** Whose budgets the turn uses that is live in a session. */
    liveAccount: (sessionId: string): Account | undefined => turns.ofSession(sessionId)?.account,

    /** Answers what runs ask about models other than their own; null: there is none. */
    fallback: async (streamId: string, { tried }: { tried: readonly ModelName[] }): Promise<ModelRef | null> =>
      await turns.get(streamId)?.fallback(tried) ?? null,
    taskModel: async (streamId: string, { slot, beside }: { slot: TurnTaskSlot, beside: ModelName }): Promise<ModelRef | null> =>
      await turns.get(streamId)?.taskModel(slot, beside) ?? null,

    /** Answers what a run asks before it calls a model: what a person is to be asked; null: it may. */
    budget: async (streamId: string): Promise<BudgetAsk | null> => turns.get(streamId)?.budget() ?? null,

    activeTurns: (): number => turns.count(),
    activeStreamIds: (): string[] => turns.all().map(({ streamId }) => streamId),
    /** How many turns are in each phase, for metrics. */
    phases: (): Record<LivePhase | 'parked', number> => ({ ...turns.phases(), parked: store.parkedTurns() }),
    /** Turns that are about to be: their messages are being stored. */
    acceptedTurns: (): number => starts.accepting(),
    /** The turns that end with this process, also if the next one takes up what goes on without it. */
    endedByRestart: (): string[] => turns.all().filter(({ outlives }) => !outlives).map(({ streamId }) => streamId),
    /** Whether a turn of this profile is not over yet. */
    isBusy: (profile: string): boolean => starts.isAcceptingIn(profile) || turns.all().some((turn) => turn.profile === profile)
  }
}
