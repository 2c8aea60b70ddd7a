import { type BudgetAsk, type GoodEnd, type ModelRef, type RunError } from '../../agent/protocol.js'
import { type AgentRuntime, type NumberedEvent, type RunObserver, type SystemPrompt } from '../../agent/index.js'
import { monotonicMs } from '../../ground/clock.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { epochSeconds } from '../../ground/clock.js'
import { Unavailable } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { remoteFolder } from '../../ground/location.js'
import { type Listeners } from '../../ground/listeners.js'
import { type ChosenModel, type ModelChoice, type TurnTaskSlot } from '../models/index.js'
import { type SessionRow } from '../sessions/index.js'
import { type Account, type Budgets } from '../budgets/index.js'
import { vetAsk } from '../prompts/index.js'
import { longTextsOf, portionsOf } from './long-texts.js'
import { parkedUntil } from './parking/decision.js'
import { effortOf, ownHistory, runSpec, type RunSpecOptions } from './run-spec.js'
import { type Turn, type TurnActivity, type TurnEvents } from './turn-events.js'
import { type TurnModel } from './turn-meter.js'
import { outliving, waitsForLimits, type TurnOutcome, type TurnPlan, type Write } from './turn-plan.js'
import { TurnRecorder, type RecorderOptions, type TurnIdentity } from './turn-recorder.js'

type ModelName = Pick<ModelRef, 'provider' | 'id'>

/** What every turn needs. */
export interface TurnContext extends Omit<RecorderOptions, 'onRefused'>, RunSpecOptions {
  agent: AgentRuntime
  budgets: Budgets
  listeners: Listeners<TurnEvents>
  systemPrompt: (session: SessionRow) => Promise<SystemPrompt>
  /** The model that is to answer in the place of those that were tried; null when there is none. */
  fallback: (session: SessionRow, tried: readonly ModelName[]) => Promise<ChosenModel | null>
  /** The model that does something for the one that answers; null when there is none. */
  taskModel: (session: SessionRow, slot: TurnTaskSlot, beside: ModelName) => Promise<ChosenModel | null>
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * starting: no host has it yet. running: its host has it. ending: the answer stands, `done` waits for what belongs to it.
 * settling: `done` is out, the last frame waits. cancelling: the session is free, the run is still to stop.
 */
export type Phase = 'starting' | 'running' | 'ending' | 'settling' | 'cancelling' | 'closed'

export type LivePhase = Exclude<Phase, 'closed'>

const transitions: Record<Phase, readonly Phase[]> = {
  starting: ['running', 'cancelling', 'closed'],
  running: ['ending', 'cancelling', 'closed'],
  ending: ['settling', 'closed'],
  settling: ['closed'],
  cancelling: ['closed'],
  closed: []
}

/** How long the last frames may wait for what listeners add. */
const beforeDoneMs = 800
const additionLimitMs = 15_000
/** How long the last frame may wait for what follows a turn. */
const settleLimitMs = 45_000
const cancelLimitMs = 5_000

const lostHint = 'What it had written so far is kept. Send the message again to retry.'
const unreachableHint = 'Your message is kept. Send it again when the machine is back, or give this chat another folder.'
const notFollowed: RunError = {
  type: 'interrupted', message: 'The turn could not be continued after a restart of the service.', hint: lostHint
}
const notRecorded: RunError = {
  type: 'interrupted', message: 'The turn\'s output could not be stored; the log of the service has the details.', hint: lostHint
}
const notStarted: RunError = { type: 'error', message: 'The turn could not be started; the log of the service has the details.' }

/** A turn's life in this process, from its acceptance to its last frame. */
export class TurnLife implements Turn {
  readonly streamId: string
  readonly sessionId: string
  readonly profile: string
  readonly startedAtS: number
  readonly promptsIn: string
  readonly trace: string | null
  readonly account: Account
  readonly recorder: TurnRecorder
  model: ModelRef | null = null
  #phase: Phase = 'starting'
  #outcome: TurnOutcome | null = null
  /** What of the service went wrong, for the log. */
  #fault: string | null = null
  /** Brings on what the turn waits for: the end of a wait for what belongs to it, or of a cancelled run. */
  #finish: (() => void) | null = null
  /** The machine that its run is on; undefined: this one. */
  #machine: string | undefined
  /** What it says is taken in portions, long texts masked ahead, and what comes behind waits; null when nothing does. */
  #waiting: Promise<void> | null = null
  readonly #pace = createPace()
  /** When its run last said something, on the clock that nobody sets. */
  #heardAtMs: number
  #isHeard = false

  /** `closed` is called once, when the last frame is on its way; `again` behind it, where another run is to be given to a host. */
  constructor (
    identity: TurnIdentity, readonly generation: number, readonly plan: TurnPlan, readonly context: TurnContext,
    readonly closed: (turn: TurnLife) => void, readonly again: (turn: TurnLife, generation: number, choice: ChosenModel) => void
  ) {
    const { streamId, sessionId, profile, startedAtS, promptsIn, trace } = identity
    this.streamId = streamId
    this.sessionId = sessionId
    this.profile = profile
    this.startedAtS = startedAtS
    this.promptsIn = promptsIn
    this.trace = trace
    this.account = accountOf(identity, plan)
    this.#heardAtMs = monotonicMs(context.clock)
    this.recorder = new TurnRecorder({ ...identity, kind: plan.kind, account: this.account }, generation, {
      ...context,
      onRefused: (error) => context.log('refused a late write of an ended turn', { streamId, reason: error.message })
    })
  }

  /** Its run goes on when the service is killed, and can be followed again by the numbers of its events. */
  get outlives (): boolean {
    return outliving.includes(this.plan.kind) && this.is('running') && this.context.agent.outlives(this.#machine)
  }

  /** Its run goes on when the service stops now. */
  get staysAtWork (): boolean {
    return this.outlives && this.context.agent.staysAtWork(this.#machine)
  }

  /** What it does, and for how long it has said nothing. */
  get activity (): TurnActivity {
    const { streamId, sessionId, profile, promptsIn, recorder, model } = this
    return {
      streamId, sessionId, profile, promptsIn, calls: recorder.running, model: recorder.model?.id ?? model?.id ?? null,
      silentMs: monotonicMs(this.context.clock) - this.#heardAtMs
    }
  }

  get isRunning (): boolean {
    return this.is('running')
  }

  get phase (): Phase {
    return this.#phase
  }

  is (...phases: Phase[]): boolean {
    return phases.includes(this.#phase)
  }

  /** Gathers what the run needs and hands it to the host. Never rejects. */
  async launch (chosen: Promise<ModelChoice>): Promise<void> {
    try {
      await this.#launch(chosen)
    } catch (error) {
      // The machine that it was to work on is away.
      this.#broke('a turn could not be started', error, error instanceof Unavailable
        ? { type: 'host_unreachable', message: error.message, hint: unreachableHint }
        : notStarted)
    }
  }

  /** Follows its run, which went on while the service was not there, behind the event of the number `after`. Never rejects. */
  async follow (chosen: Promise<ModelChoice>, named: Pick<TurnModel, 'provider' | 'id'> | null, after: number): Promise<void> {
    this.#enter('running')
    this.#machine = remoteFolder(this.#session.workspace)?.host
    try {
      const choice = await chosen
      const known = !('error' in choice) ? choice : named === null ? null : { ref: named, contextLength: null, cost: null }
      // Whatever it has to say would be counted as another model's.
      if (known === null) return this.#unfollowed({ type: 'model_not_found', message: 'error' in choice ? choice.error : '' })
      const { ref, contextLength, cost } = known
      this.model = ref
      this.recorder.useModel({ provider: ref.provider, id: ref.id, contextLength, cost })
      const { context } = this
      const session = context.sessions.get(this.sessionId)
      // The run has its history and its instructions already.
      const plan = { ...this.plan, history: { messages: [], summary: null } }
      const spec = runSpec(context, {
        streamId: this.streamId, trace: this.trace, generation: this.generation, session, plan, model: ref, window: contextLength ?? 0,
        prompt: { system: [] }, isBudgeted: context.budgets.holds(this.account), isPlanning: context.store.isPlanning(this.streamId)
      })
      context.agent.follow(spec, after, this.#observer())
      // It was stopped meanwhile.
      if (!this.is('running')) this.#stopRun()
    } catch (error) {
      this.#broke('a turn could not be followed', error, notFollowed)
      this.#stopRun()
    }
  }

  /** Its run would go on, and nobody would hear of it. */
  #unfollowed (error: RunError): void {
    this.fail(error)
    this.#stopRun()
  }

  #stopRun (): void {
    this.context.agent.control(this.profile, { op: 'cancel', runId: this.streamId }).catch(() => {})
  }

  /** Ends it as something that went wrong, unless its answer stands. */
  fail (error: RunError, terminalState = 'errored', steerLeftover?: string): void {
    if (this.is('cancelling')) return this.#finish?.()
    if (!this.is('starting', 'running')) return
    this.recorder.failed(error, { terminalState, steerLeftover })
    this.#outcome = {
      state: terminalState === 'interrupted-by-user' ? 'cancelled' : 'failed', answer: this.recorder.finalText, error: error.message,
      errorType: error.type, host: error.host, attempts: error.attempts
    }
    this.#close()
  }

  /** Ends it because of a fault of the service, which the line of its end names; what has ended already has a line of its own for it. */
  #broke (what: string, error: unknown, told: RunError): void {
    if (!this.is('starting', 'running', 'cancelling')) {
      return this.context.log(what, { session: this.sessionId, stream: this.streamId, reason: String(error) })
    }
    this.#fault = String(error)
    this.fail(told)
  }

  /** Sends the closing frames of a turn whose answer stands, without waiting for what belongs to it. */
  conclude (): void {
    if (this.is('ending')) this.recorder.done({ ephemeral: this.plan.ephemeral })
    if (!this.is('ending', 'settling')) return
    this.#outcome ??= this.#answered()
    this.recorder.end()
    this.#close()
  }

  /** Stops it and frees its session. False when there was nothing left to stop. */
  cancel (): boolean {
    // Nothing is left to stop: the answer stands, only its closing frames wait.
    if (this.is('ending', 'settling')) this.context.listeners.emit('stoppedLate', this)
    this.conclude()
    if (!this.is('starting', 'running')) return false
    const wasRunning = this.is('running')
    this.recorder.cancel()
    this.#enter('cancelling')
    const timer = setTimeout(() => this.#finish?.(), cancelLimitMs)
    this.#finish = () => {
      clearTimeout(timer)
      this.#finish = null
      this.recorder.cancelled()
      this.#close()
    }
    if (!wasRunning) this.#finish()
    else this.context.agent.control(this.profile, { op: 'cancel', runId: this.streamId }).catch(() => this.#finish?.())
    return true
  }

  /** The model that its run is to go on with in the place of those that were tried; null: there is none. */
  async fallback (tried: readonly ModelName[]): Promise<ModelRef | null> {
    const ref = this.#known(await this.context.fallback(this.#session, tried))
    if (ref === null) return null
    const failed = tried.at(-1)
    if (failed !== undefined) this.context.listeners.emit('replaced', this, failed)
    return { ...ref, effort: effortOf(this.plan, this.context.rules(this.profile)) }
  }

  /** The model that is to do something for the one that answers; null: there is none. */
  async taskModel (slot: TurnTaskSlot, beside: ModelName): Promise<ModelRef | null> {
    return this.#known(await this.context.taskModel(this.#session, slot, beside))
  }

  /** What a person is asked before its run may call a model; null: it may. */
  budget (): BudgetAsk | null {
    return this.context.budgets.ask(this.account)
  }

  get #session (): SessionRow {
    return this.context.sessions.get(this.sessionId)
  }

  /** What its run is told of, so that it can be counted at its price. */
  #known (choice: ChosenModel | null): ModelRef | null {
    if (choice === null) return null
    const { ref, contextLength, cost } = choice
    this.recorder.knowModel({ provider: ref.provider, id: ref.id, contextLength, cost })
    return ref
  }

  /** Waits no longer for what it waits for. */
  hurry (): void {
    this.#finish?.()
  }

  /**
   * Its run would go on, and nobody would hear of it. Resolves when its machine knows, or cannot be told:
   * then the next start of the service finds it.
   */
  async stopElsewhere (): Promise<void> {
    if (this.#machine !== undefined && this.is('running')) {
      await this.context.agent.control(this.profile, { op: 'cancel', runId: this.streamId }).then(() => {}, () => {})
    }
  }

  /** Leaves it as it is, without a frame, to be taken up again after a restart. */
  park (): void {
    this.#enter('closed')
    this.closed(this)
  }

  async #launch (chosen: Promise<ModelChoice>): Promise<void> {
    const { plan, context } = this
    const [wanted] = await Promise.all([chosen, plan.slot])
    if (!this.is('starting')) return
    const choice = 'error' in wanted ? await context.fallback(this.#session, []) ?? wanted : wanted
    if (!this.is('starting')) return
    if ('error' in choice) return this.fail({ type: 'model_not_found', message: choice.error })
    const session = this.#session
    const { ref, label, contextLength, cost } = choice
    this.model = ref
    this.recorder.useModel({ provider: ref.provider, id: ref.id, contextLength, cost })
    if ('error' in wanted) {
      this.#known(choice)
      this.recorder.apply([{
        runId: this.streamId, t: 'fallback', provider: ref.provider, id: ref.id, message: `${wanted.error} ${label} goes on.`
      }])
    }
    this.#tellBroken()
    const { personality = session.personality } = plan.wishes ?? {}
    const prompt = await context.systemPrompt({ ...session, personality: personality === '' ? null : personality })
    const history = plan.history ?? await ownHistory(context.sessions, this.sessionId, plan)
    if (!this.is('starting')) return
    const spec = runSpec(context, {
      streamId: this.streamId, trace: this.trace, generation: this.generation, session, plan: { ...plan, history }, model: ref,
      window: contextLength, prompt, isBudgeted: context.budgets.holds(this.account), isPlanning: context.store.isPlanning(this.streamId)
    })
    await this.#mark(() => {
      context.store.nameModel(this.streamId, ref.provider, ref.id)
      context.sessions.rows.setThreshold(this.sessionId, spec.context.thresholdTokens)
    })
    if (!this.#enter('running')) return
    this.#machine = remoteFolder(session.workspace)?.host
    context.agent.start(spec, this.#observer(choice))
  }

  /** Nothing that a host is given may have an effect before it is stored that it was. A turn that goes on has had a host before. */
  async #mark (write: () => void): Promise<void> {
    const { db, store } = this.context
    if (this.plan.resume !== undefined) return db.enqueue({ write })
    await new Promise<void>((resolve, reject) => {
      db.enqueue({
        durable: true,
        write: () => {
          write()
          store.begun(this.streamId, this.generation)
        },
        committed: resolve,
        refused: reject
      })
    })
  }

  /** A limit that does not hold because it is written wrongly is told of: nobody else would notice. */
  #tellBroken (): void {
    const message = this.plan.serves === undefined ? this.context.budgets.broken(this.profile) : null
    if (message !== null) this.recorder.apply([{ runId: this.streamId, t: 'warning', kind: 'budget', message }])
  }

  /** `choice`: the model of a run that may be begun again. */
  #observer (choice: ChosenModel | null = null): RunObserver {
    return {
      events: (events) => {
        // What another machine has said counts as stored when this returns.
        if (this.#machine !== undefined) return this.#receive(events)
        const portions = portionsOf(events)
        for (const [index, portion] of portions.entries()) {
          const texts = longTextsOf(portion)
          const ahead = async (): Promise<void> => {
            await redactAhead(texts)
            await this.#pace()
          }
          this.#after(index === 0 && texts.length === 0 ? null : ahead, () => this.#receive(portion))
        }
        return this.#waiting ?? undefined
      },
      lost: ({ message, reason }) => this.#after(null, () => {
        if (this.#goesOnLater() || (choice !== null && this.#beginsAgain(choice))) return
        this.#fault = reason
        this.fail({ type: 'interrupted', message, hint: lostHint }, 'interrupted-by-crash')
      })
    }
  }

  /** Does something behind what waits already, and behind `ahead`; at once when nothing waits. */
  #after (ahead: (() => Promise<void>) | null, receive: () => void): void {
    if (this.#waiting === null && ahead === null) return receive()
    const waited = (this.#waiting ?? Promise.resolve()).then(ahead).then(receive).catch((error: unknown) => this.#broke(
      'what a turn has said could not be recorded', error, notRecorded
    )).then(() => { if (this.#waiting === waited) this.#waiting = null })
    this.#waiting = waited
  }

  /** Nothing was heard of its run, which says something before it does anything: it is given to another host, once. */
  #beginsAgain (choice: ChosenModel): boolean {
    const { plan: { resume, isAgain }, context: { db, store } } = this
    const isUnheard = this.is('running') && !this.#isHeard && this.#waiting === null
    // An agent of another maker may have done something and not said so yet; a machine may have the run all the same.
    if (!isUnheard || resume !== undefined || isAgain === true || this.#machine !== undefined || choice.ref.isAgent === true) return false
    const generation = db.transaction(() => store.renewGeneration(this.streamId))
    if (generation === undefined) return false
    this.park()
    this.again(this, generation, choice)
    return true
  }

  #receive (events: NumberedEvent[]): void {
    this.#isHeard = true
    this.#heardAtMs = monotonicMs(this.context.clock)
    const end = events.find((event) => event.t === 'end')
    // Until the turn is settled its end is to be heard again.
    const vetting = { isElsewhere: this.#machine !== undefined, offers: () => this.budget()?.offers ?? [] }
    const taken = end === undefined ? events.at(-1)?.seq : end.seq - 1
    if (this.is('running')) this.recorder.apply(events.map((event) => vetAsk(event, vetting)), this.outlives ? taken : undefined)
    // What it was at is over now: that is still told of.
    if (this.is('cancelling')) for (const event of events) if (event.t === 'span') this.context.traces?.told(this, event.said)
    if (end?.t !== 'end') return
    if (this.is('cancelling')) return this.#finish?.()
    if (!this.is('running')) return
    if (end.state === 'done') this.#settle(end.steerLeftover, end.terminalState).catch((error: unknown) => this.#unsettled(error))
    else if (end.state === 'cancelled') this.fail({ type: 'cancelled', message: 'The agent stopped this turn.' }, 'interrupted-by-user')
    else if (end.error !== undefined && this.#waitsForLimit(end.error)) this.#leave()
    else this.fail(end.error ?? { type: 'error', message: 'The turn failed.' }, end.error?.terminalState ?? 'errored', end.steerLeftover)
  }

  /** False: it ends with it. What was typed into the turn and not taken stays where it is. */
  #waitsForLimit ({ limit }: RunError): boolean {
    if (limit === undefined || !waitsForLimits(this.plan)) return false
    const { store, clock, rules } = this.context
    const { streamId, plan: { attended } } = this
    const nowS = epochSeconds(clock)
    const before = store.parked(streamId)
    const tries = before === undefined ? 0 : before.tries + 1
    const until = parkedUntil({ limit, onLimit: rules(this.profile).onLimit, attended, tries, nowS })
    if (until === null) return false
    const { provider, id: model, name: providerName } = limit
    this.recorder.parked({
      streamId, parkedAt: nowS, resumesAt: until.resumesAt, provider, model, providerName, tries, attended, isResuming: false
    }, { keepsText: this.model?.isAgent === true })
    return true
  }

  /** Its run was lost as it was about to go on, and nothing was heard of it: it is begun once more, after longer and longer pauses. */
  #goesOnLater (): boolean {
    if (!this.is('running') || !this.recorder.isResuming) return false
    const { provider, model: id, providerName: name, tries } = this.context.store.parked(this.streamId) ?? {}
    if (provider === undefined || id === undefined || name === undefined || tries === undefined) return false
    const waitMs = Math.min(1_000 * 2 ** tries, 3_600_000)
    if (!this.#waitsForLimit({ type: 'interrupted', message: '', limit: { provider, id, name, waitMs } })) return false
    this.#leave()
    return true
  }

  /** Nothing of it stays in memory; see Parking. */
  #leave (): void {
    // Until the row is stored it lives.
    this.context.db.enqueue({
      write () {},
      committed: () => {
        if (!this.is('running')) return
        this.park()
        this.context.listeners.emit('parked', this)
      }
    })
  }

  /** A turn that had waited goes on; told before it is launched. */
  resumed (): void {
    this.recorder.resumed()
  }

  /** `done` follows the answer at once, unless something that belongs to it is about to come; `stream_end` follows `done`. */
  async #settle (steerLeftover?: string, terminalState?: GoodEnd): Promise<void> {
    this.#enter('ending')
    const { listeners, db } = this.context
    const additions = listeners.gather('answered', this).then((writes): Write => () => writes.flatMap((write) => write?.() ?? []))
    const early = await Promise.race([additions, this.#wait(beforeDoneMs)])
    if (!this.#enter('settling')) return
    this.recorder.done({ addition: early, steerLeftover, terminalState, ephemeral: this.plan.ephemeral })
    this.#outcome = this.#answered(terminalState)
    const followed = listeners.gather('done', this, (write) => {
      if (this.is('settling')) this.recorder.tell(write)
      else db.soonest(write)
    })
    const late = early === undefined ? await Promise.race([additions, this.#wait(additionLimitMs)]) : undefined
    if (this.is('settling')) await Promise.race([followed, this.#wait(settleLimitMs)])
    if (!this.is('settling')) return
    this.recorder.end(late)
    this.#close()
  }

  #answered (ended?: GoodEnd): TurnOutcome {
    const { finalText: answer, cut } = this.recorder
    // A turn that has ended on its budget has nothing else to say.
    return {
      state: 'done', answer, ...(cut === null || cut.message === answer ? {} : { cut: cut.message }),
      ...(ended === undefined ? {} : { ended })
    }
  }

  /** The session may be gone: the answer stands all the same. */
  #unsettled (error: unknown): void {
    this.#fault = String(error)
    this.#outcome ??= { state: 'failed', answer: this.recorder.finalText, error: 'The turn could not be closed as usual' }
    this.conclude()
  }

  /** Resolves with undefined after a while, or as soon as somebody needs this turn out of the way. */
  #wait (ms: number): Promise<undefined> {
    this.#finish?.()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#finish?.(), ms)
      this.#finish = () => {
        clearTimeout(timer)
        this.#finish = null
        resolve(undefined)
      }
    })
  }

  /** False when it is past that already. */
  #enter (phase: Phase): boolean {
    if (!transitions[this.#phase].includes(phase)) return false
    this.#phase = phase
    return true
  }

  #close (): void {
    this.#enter('closed')
    this.#finish?.()
    this.closed(this)
    const outcome: TurnOutcome = this.#outcome ?? { state: 'cancelled', answer: this.recorder.finalText }
    if (this.#fault !== null) outcome.fault = this.#fault
    this.plan.ended?.(outcome)
    this.context.listeners.emit('ended', this, outcome)
  }
}

/** Whose budgets a turn uses. */
function accountOf ({ streamId, profile, promptsIn }: TurnIdentity, { serves, budget }: TurnPlan): Account {
  return {
    profile, turn: serves ?? streamId, session: promptsIn,
    ...(budget && { [budget.scope]: { id: budget.id, ...(budget.limits && { limits: budget.limits }) } })
  }
}
