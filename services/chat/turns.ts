import { type AgentRuntime, type SystemPrompt } from '../agent/index.js'
import { type ModelRef, type RunError, type RunEvent } from '../agent/protocol.js'
import { type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { type EventBroker, type Journal, type NewFrame } from '../ground/events/index.js'
import { type ModelChoice } from '../models/index.js'
import { type Prompts } from '../prompts/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { runSpec, type ProfileRules } from './run-spec.js'
import { firstWords, titleInput } from './titles.js'
import { type TurnInput, type TurnOutcome, type TurnPlan } from './turn-plan.js'
import { TurnRecorder, type RecorderOptions, type TurnIdentity } from './turn-recorder.js'
import { type TurnStore } from './turn-store.js'

export interface TurnsOptions {
  db: Database
  store: TurnStore
  events: EventBroker
  journal: Journal
  clock: Clock
  agent: AgentRuntime
  sessions: Sessions
  prompts: Prompts
  price: RecorderOptions['price']
  chooseModel: (profile: string, wanted: { model?: string, provider?: string }) => Promise<ModelChoice>
  rules: (profile: string) => ProfileRules
  /** Where what was uploaded to a session lies. */
  attachmentFolder: (sessionId: string) => string
  systemPrompt: (session: SessionRow) => Promise<SystemPrompt>
  titleModel: (profile: string) => Promise<ModelRef | null>
  /** How many model calls a turn may make. */
  steps: number
  log: (message: string, details: Record<string, unknown>) => void
  /** The answer stands and `done` is out; the last frame waits for this. `tell` sends frames, stored together with what it writes. */
  afterDone: (turn: Turn, tell: Tell) => Promise<void>
  /** A person has stopped a turn whose answer stands already. */
  stoppedLate: (turn: Turn) => void
  /** A turn has had its last frame. */
  closed: (turn: Turn, outcome: TurnOutcome) => void
}

/** Writes rows and sends the frames that `write` returns; when the stream is closed by then, only the rows are written. */
export type Tell = (write: () => NewFrame[]) => void

export interface Turn extends TurnIdentity {
  recorder: TurnRecorder
  plan: TurnPlan
  model: ModelRef | null
  /** starting: no host has it yet. ending: the answer stands, its title is awaited. settling: `done` is out. */
  phase: 'starting' | 'running' | 'ending' | 'settling' | 'cancelling' | 'closed'
  outcome: TurnOutcome | null
  /** Brings on what the turn waits for: the end of a wait for its title, or of a cancelled run. */
  finish: (() => void) | null
}

/** A larger message has no title in its beginning. */
const readableBytes = 32 * 1024 * 1024
/** How long the last frame may wait for a title, and how long a title may still come after it. */
const titleBeforeDoneMs = 800
const titleLimitMs = 15_000
/** How long `stream_end` may wait for what follows a turn. */
const settleLimitMs = 45_000
const cancelLimitMs = 5_000

/** The turns that live in this process, each from its acceptance to its last frame. */
export function createTurns (options: TurnsOptions) {
  const { db, store, agent, sessions } = options
  const turns = new Map<string, Turn>()
  const firstUserRow = db.sqlite.prepare<[string], { body: string }>(`select body from messages where session_id = ? and role = 'user' and octet_length(body) < ${readableBytes} and json_valid(body) order by position limit 1`)

  /** Gathers what the run needs and hands it to the host. */
  async function launch (turn: Turn, generation: number, chosen: Promise<ModelChoice>): Promise<void> {
    const { plan } = turn
    const [choice] = await Promise.all([chosen, plan.slot])
    if (turn.phase !== 'starting') return
    if ('error' in choice) return fail(turn, { type: 'model_not_found', message: choice.error })
    const session = sessions.get(turn.sessionId)
    const { ref, contextLength, cost } = choice
    turn.model = ref
    turn.recorder.useModel({ provider: ref.provider, id: ref.id, contextLength, cost })
    const prompt = await options.systemPrompt(session)
    if (turn.phase !== 'starting') return
    const spec = runSpec(options, { streamId: turn.streamId, generation, session, plan, model: ref, window: contextLength, prompt })
    db.enqueue({
      write () {
        store.nameModel(turn.streamId, ref.provider, ref.id)
        store.setThreshold(turn.sessionId, spec.context.thresholdTokens)
      }
    })
    turn.phase = 'running'
    agent.start(spec, {
      events: (events) => receive(turn, events),
      lost: ({ message }) => fail(turn, {
        type: 'interrupted',
        message,
        hint: 'What it had written so far is kept. Send the message again to retry.'
      }, 'interrupted-by-crash')
    })
  }

  function chooseModel (session: SessionRow, input: Pick<TurnInput, 'model' | 'modelProvider'>): Promise<ModelChoice> {
    const model = input.model ?? session.model ?? undefined
    const provider = input.model === undefined ? session.modelProvider ?? undefined : input.modelProvider
    return options.chooseModel(session.profile, { model, provider })
  }

  function receive (turn: Turn, events: RunEvent[]): void {
    const end = events.find((event) => event.t === 'end')
    if (turn.phase === 'running') turn.recorder.apply(events)
    if (end?.t !== 'end') return
    if (turn.phase === 'cancelling') return turn.finish?.()
    if (turn.phase !== 'running') return
    if (end.state === 'done') settle(turn, end.steerLeftover, end.terminalState).catch((error: unknown) => unsettled(turn, error))
    else if (end.state === 'cancelled') fail(turn, { type: 'cancelled', message: 'The agent stopped this turn.' }, 'interrupted-by-user')
    else fail(turn, end.error ?? { type: 'error', message: 'The turn failed.' }, end.error?.terminalState ?? 'errored', end.steerLeftover)
  }

  /** `done` follows the answer at once, unless a title is about to come; `stream_end` follows `done`. */
  async function settle (turn: Turn, steerLeftover?: string, terminalState?: 'tool_limit_reached'): Promise<void> {
    turn.phase = 'ending'
    const title = titleOf(turn)
    const early = await Promise.race([title, waitFor(turn, titleBeforeDoneMs)])
    if (turn.phase !== 'ending') return
    turn.phase = 'settling'
    turn.recorder.done({ title: early ?? undefined, steerLeftover, terminalState, ephemeral: turn.plan.ephemeral })
    turn.outcome = { state: 'done', answer: turn.recorder.finalText }
    const followed = options.afterDone(turn, (write) => tell(turn, write)).catch((error: unknown) => {
      options.log('what follows a turn went wrong', { streamId: turn.streamId, reason: String(error) })
    })
    const late = early === undefined ? await Promise.race([title, waitFor(turn, titleLimitMs)]) : undefined
    if (turn.phase === 'settling') await Promise.race([followed, waitFor(turn, settleLimitMs)])
    if (turn.phase !== 'settling') return
    turn.recorder.end(late ?? undefined)
    close(turn)
  }

  function tell (turn: Turn, write: () => NewFrame[]): void {
    if (turn.phase === 'settling') turn.recorder.tell(write)
    else db.soonest(write)
  }

  /** Looking for a title went wrong, the session may be gone: the answer stands without one. */
  function unsettled (turn: Turn, error: unknown): void {
    options.log('a turn could not be closed as usual', { streamId: turn.streamId, reason: String(error) })
    turn.outcome ??= { state: 'failed', answer: turn.recorder.finalText, error: 'The turn could not be closed as usual' }
    conclude(turn)
  }

  /** Resolves with undefined after a while, or as soon as somebody needs this turn out of the way. */
  function waitFor (turn: Turn, ms: number): Promise<undefined> {
    turn.finish?.()
    return new Promise((resolve) => {
      const timer = setTimeout(() => turn.finish?.(), ms)
      turn.finish = () => {
        clearTimeout(timer)
        turn.finish = null
        resolve(undefined)
      }
    })
  }

  /** A title for a conversation that has none of its own yet; null when none is due. */
  async function titleOf (turn: Turn): Promise<string | null> {
    const { titleSource } = sessions.get(turn.sessionId)
    if (titleSource === 'manual' || titleSource === 'automatic') return null
    const question = firstUserText(turn.sessionId)
    const model = await options.titleModel(turn.profile)
    const title = model === null ? null : await agent.aux(turn.profile, { task: 'title', model, input: titleInput(question, turn.recorder.answer) }, titleLimitMs)
    return title ?? firstWords(question)
  }

  function firstUserText (sessionId: string): string {
    const row = firstUserRow.get(sessionId)
    return row === undefined ? '' : (JSON.parse(row.body) as { content: string }).content
  }

  function fail (turn: Turn, error: RunError, terminalState = 'errored', steerLeftover?: string): void {
    if (turn.phase === 'cancelling') return turn.finish?.()
    if (turn.phase !== 'starting' && turn.phase !== 'running') return
    turn.recorder.failed(error, { terminalState, steerLeftover })
    turn.outcome = { state: terminalState === 'interrupted-by-user' ? 'cancelled' : 'failed', answer: turn.recorder.finalText, error: error.message }
    close(turn)
  }

  function close (turn: Turn): void {
    turn.phase = 'closed'
    turn.finish?.()
    turns.delete(turn.streamId)
    const outcome = turn.outcome ?? { state: 'cancelled', answer: turn.recorder.finalText }
    turn.plan.ended?.(outcome)
    options.closed(turn, outcome)
  }

  /** Sends the closing frames of a turn whose answer stands, without waiting for a title. */
  function conclude (turn: Turn): void {
    if (turn.phase === 'ending') turn.recorder.done({ ephemeral: turn.plan.ephemeral })
    if (turn.phase === 'ending' || turn.phase === 'settling') {
      turn.outcome ??= { state: 'done', answer: turn.recorder.finalText }
      turn.recorder.end()
      close(turn)
    }
  }

  function cancelTurn (turn: Turn): boolean {
    // Nothing is left to stop: the answer stands, only its closing frames wait.
    if (turn.phase === 'ending' || turn.phase === 'settling') options.stoppedLate(turn)
    conclude(turn)
    if (turn.phase !== 'starting' && turn.phase !== 'running') return false
    const wasRunning = turn.phase === 'running'
    turn.recorder.cancel()
    turn.phase = 'cancelling'
    const timer = setTimeout(() => turn.finish?.(), cancelLimitMs)
    turn.finish = () => {
      clearTimeout(timer)
      turn.finish = null
      turn.recorder.cancelled()
      close(turn)
    }
    if (!wasRunning) turn.finish()
    else agent.control(turn.profile, { op: 'cancel', runId: turn.streamId }).catch(() => turn.finish?.())
    return true
  }

  return {
    /** Takes over a turn whose message is stored, and starts its run. */
    begin (identity: TurnIdentity, generation: number, plan: TurnPlan, chosen: Promise<ModelChoice>, restore: (recorder: TurnRecorder) => void = () => {}): Turn {
      const recorder = new TurnRecorder(identity, generation, {
        ...options,
        onRefused: (error) => options.log('a late write of an ended turn was refused', { streamId: identity.streamId, reason: error.message })
      })
      const turn: Turn = { ...identity, plan, model: null, phase: 'starting', outcome: null, finish: null, recorder }
      restore(recorder)
      turns.set(turn.streamId, turn)
      // The answer of the start call goes out first: when many start at once, none waits for the others' runs.
      setImmediate(() => launch(turn, generation, chosen).catch((error: unknown) => {
        options.log('a turn could not be started', { streamId: turn.streamId, reason: String(error) })
        fail(turn, { type: 'error', message: 'The turn could not be started; the log of the service has the details.' })
      }))
      return turn
    },

    chooseModel,
    get: (streamId: string): Turn | undefined => turns.get(streamId),
    all: (): Turn[] => [...turns.values()],
    count: (): number => turns.size,
    cancel: cancelTurn,
    conclude,

    /** The turn that is live in a session. */
    ofSession (sessionId: string): Turn | undefined {
      const streamId = store.activeStream(sessionId)
      return streamId === undefined ? undefined : turns.get(streamId)
    },

    /**
     * Before the process goes: a turn that only waits for a person is left as it is, to go on after the restart. Every other
     * one is ended honestly: partial answers are kept, streams get their last frame.
     */
    shutdown (staysParked: (turn: Turn) => boolean): void {
      db.catchUp()
      for (const turn of [...turns.values()]) {
        if ((turn.phase === 'running' || (turn.phase === 'starting' && turn.plan.resume !== undefined)) && staysParked(turn)) {
          turn.phase = 'closed'
          turns.delete(turn.streamId)
          continue
        }
        turn.finish?.()
        conclude(turn)
        fail(turn, { type: 'interrupted', message: 'The service was stopped while this turn was running.', hint: 'What was written so far is kept. Send the message again to retry.' }, 'interrupted-by-crash')
      }
      db.catchUp()
    }
  }
}

export type Turns = ReturnType<typeof createTurns>
