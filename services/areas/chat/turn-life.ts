import { type BudgetAsk, type ModelRef } from '../../agent/protocol.js'
import { type Account } from '../budgets/index.js'
import { type ChosenModel, type TurnTask } from '../models/index.js'
import { type SessionRow } from '../sessions/index.js'
import { effortOf } from './run-spec.js'
import { type ModelName, type TurnContext } from './turn-context.js'
import { TurnEnding } from './turn-ending.js'
import { type TurnActivity } from './turn-events.js'
import { TurnHearing, type HeardTurn } from './turn-hearing.js'
import { type TurnModel } from './turn-meter.js'
import { TurnPhase } from './turn-phase.js'
import { outliving, type TurnPlan } from './turn-plan.js'
import { TurnRecorder, type TurnIdentity } from './turn-recorder.js'

/**
 * A turn that lives in this process: who it is, where it stands, and which models it has. `launch` and `follow` begin it,
 * {@link TurnHearing} takes in what its run says, {@link TurnEnding} brings it to its last frame.
 */
export class TurnLife implements HeardTurn {
  readonly streamId: string
  readonly sessionId: string
  readonly profile: string
  readonly startedAtS: number
  readonly promptsIn: string
  readonly trace: string | null
  readonly account: Account
  readonly recorder: TurnRecorder
  readonly phase = new TurnPhase()
  readonly ending: TurnEnding
  readonly hearing: TurnHearing
  model: ModelRef | null = null
  /** The machine that its run is on; undefined: this one. */
  machine: string | undefined

  /** `closed` is called once, when the last frame is on its way. */
  constructor (
    readonly identity: TurnIdentity, readonly generation: number, readonly plan: TurnPlan, readonly context: TurnContext,
    closed: (streamId: string) => void
  ) {
    const { streamId, sessionId, profile, startedAtS, promptsIn, trace } = identity
    this.streamId = streamId
    this.sessionId = sessionId
    this.profile = profile
    this.startedAtS = startedAtS
    this.promptsIn = promptsIn
    this.trace = trace
    this.account = accountOf(identity, plan)
    this.recorder = new TurnRecorder({ ...identity, kind: plan.kind, account: this.account }, generation, {
      ...context,
      onRefused: (error) => context.log('refused a late write of an ended turn', { streamId, reason: error.message })
    })
    this.ending = new TurnEnding(this, () => closed(streamId))
    this.hearing = new TurnHearing(this)
  }

  get isRunning (): boolean {
    return this.phase.is('running')
  }

  /** Its run goes on when the service is killed, and can be followed again by the numbers of its events. */
  get outlives (): boolean {
    return outliving.includes(this.plan.kind) && this.isRunning && this.context.agent.outlives(this.machine)
  }

  /** Its run goes on when the service stops now. */
  get staysAtWork (): boolean {
    return this.outlives && this.context.agent.staysAtWork(this.machine)
  }

  /** What it does, and for how long it has said nothing. */
  get activity (): TurnActivity {
    const { streamId, sessionId, profile, promptsIn, recorder, model } = this
    return {
      streamId, sessionId, profile, promptsIn, calls: recorder.running, model: recorder.model?.id ?? model?.id ?? null,
      silentMs: this.hearing.silentMs
    }
  }

  get session (): SessionRow {
    return this.context.sessions.get(this.sessionId)
  }

  /** The model that answers. */
  answersWith ({ ref, contextLength, cost }: { ref: ModelRef } & Pick<TurnModel, 'contextLength' | 'cost'>): void {
    this.model = ref
    this.recorder.useModel({ provider: ref.provider, id: ref.id, contextLength, cost })
  }

  /** A model that its run is told of, so that it can be counted at its price. */
  know ({ ref, contextLength, cost }: ChosenModel): ModelRef {
    this.recorder.knowModel({ provider: ref.provider, id: ref.id, contextLength, cost })
    return ref
  }

  /** The model that its run is to go on with in the place of those that were tried; null: there is none. */
  async fallback (tried: readonly ModelName[]): Promise<ModelRef | null> {
    const choice = await this.context.fallback(this.session, tried)
    if (choice === null) return null
    const ref = this.know(choice)
    const failed = tried.at(-1)
    if (failed !== undefined) this.context.listeners.emit('replaced', this, failed)
    return { ...ref, effort: effortOf(this.plan, this.context.rules(this.profile)) }
  }

  /** The model that is to do something for the one that answers; null: there is none. */
  async smallTaskModel (task: TurnTask, beside: ModelName): Promise<ModelRef | null> {
    const choice = await this.context.smallTaskModel(this.session, task, beside)
    return choice === null ? null : this.know(choice)
  }

  /** What a person is asked before its run may call a model; null: it may. */
  budget (): BudgetAsk | null {
    return this.context.budgets.ask(this.account)
  }
}

/** Whose budgets a turn uses. */
function accountOf ({ streamId, profile, promptsIn }: TurnIdentity, { serves, budget }: TurnPlan): Account {
  return {
    profile, turn: serves ?? streamId, session: promptsIn,
    ...(budget && { [budget.scope]: { id: budget.id, ...(budget.limits && { limits: budget.limits }) } })
  }
}
