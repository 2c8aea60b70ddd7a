import { type AgentRuntime } from '../agent/index.js'
import { type Cost } from '../agent/providers/index.js'
import { type Attachment, type Effort, type ModelMessage, type ModelRef, type RunError, type RunEvent, type RunSpec } from '../agent/protocol.js'
import { type Clock } from '../clock.js'
import { type Database } from '../database/index.js'
import { type EventBroker, type Journal } from '../events/index.js'
import { type Prompts } from '../prompts/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { firstWords, titleInput } from './titles.js'
import { TurnRecorder, type RecorderOptions, type TurnIdentity } from './turn-recorder.js'
import { type TurnStore } from './turn-store.js'

export interface ChosenModel { ref: ModelRef, label: string, contextLength: number | null, cost: Cost | null }

/** The model that answers a turn, or a sentence that says why there is none. */
export type ModelChoice = ChosenModel | { error: string }

export interface TurnInput { message: string, attachments: Attachment[], model?: string, modelProvider?: string }

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
  effort: (profile: string) => Effort | undefined
  systemPrompt: (session: SessionRow) => Promise<string[]>
  /** Pattern keys the profile allows for good. */
  allowedPatterns: (profile: string) => string[]
  titleModel: (profile: string) => Promise<ModelRef | null>
  limits: { steps: number, clarifyTimeoutS: number }
  log: (message: string, details: Record<string, unknown>) => void
  /** A turn has had its last frame. */
  closed: (turn: Turn) => void
}

export interface Turn extends TurnIdentity {
  recorder: TurnRecorder
  kind: RunSpec['kind']
  /** starting: no host has it yet. ending: the answer stands, its title is awaited. settling: `done` is out. */
  phase: 'starting' | 'running' | 'ending' | 'settling' | 'cancelling' | 'closed'
  /** Brings on what the turn waits for: the end of a wait for its title, or of a cancelled run. */
  finish: (() => void) | null
}

/** How long the last frame may wait for a title, and how long a title may still come after it. */
const titleBeforeDoneMs = 800
const titleLimitMs = 15_000
const cancelLimitMs = 5_000

/** The turns that live in this process, each from its acceptance to its last frame. */
export function createTurns (options: TurnsOptions) {
  const { db, store, agent, sessions, prompts } = options
  const turns = new Map<string, Turn>()
  const firstUserRow = db.sqlite.prepare<[string], { body: string }>("select body from messages where session_id = ? and role = 'user' order by position limit 1")

  /** Gathers what the run needs and hands it to the host. */
  async function launch (turn: Turn, generation: number, input: TurnInput, chosen: Promise<ModelChoice>): Promise<void> {
    const session = sessions.get(turn.sessionId)
    const choice = await chosen
    if (turn.phase !== 'starting') return
    if ('error' in choice) return fail(turn, { type: 'model_not_found', message: choice.error })
    const { ref, contextLength, cost } = choice
    turn.recorder.useModel({ provider: ref.provider, id: ref.id, contextLength, cost })
    store.nameModel(turn.streamId, ref.provider, ref.id)
    const system = await options.systemPrompt(session)
    if (turn.phase !== 'starting') return
    const history = sessions.transcript.history(turn.sessionId) as ModelMessage[]
    turn.phase = 'running'
    agent.start({
      v: 1,
      runId: turn.streamId,
      sessionId: turn.sessionId,
      profile: turn.profile,
      kind: turn.kind,
      generation,
      engine: 'loop',
      model: { ...ref, effort: options.effort(turn.profile) },
      system,
      // The last row is this turn's own message: it travels as the input, with its attachments.
      history: history.slice(0, -1),
      input: { text: input.message, attachments: input.attachments },
      workspace: session.workspace,
      attended: true,
      yolo: prompts.yolo.isOn(turn.sessionId),
      grants: [...prompts.sessionGrants(turn.sessionId), ...options.allowedPatterns(turn.profile)],
      todos: session.todos === null ? [] : JSON.parse(session.todos).todos,
      limits: { steps: options.limits.steps },
      clarifyTimeoutS: options.limits.clarifyTimeoutS
    }, {
      events: (events) => receive(turn, events),
      lost: () => fail(turn, {
        type: 'interrupted',
        message: 'The agent process stopped unexpectedly in the middle of this turn.',
        hint: 'What it had written so far is kept. Send the message again to retry.'
      }, 'interrupted-by-crash')
    })
  }

  function chooseModel (session: SessionRow, input: TurnInput): Promise<ModelChoice> {
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
    else fail(turn, end.error ?? { type: 'error', message: 'The turn failed.' }, 'errored', end.steerLeftover)
  }

  /** `done` follows the answer at once, unless a title is about to come; `stream_end` follows `done`. */
  async function settle (turn: Turn, steerLeftover?: string, terminalState?: 'tool_limit_reached'): Promise<void> {
    turn.phase = 'ending'
    const title = titleOf(turn)
    const early = await Promise.race([title, waitFor(turn, titleBeforeDoneMs)])
    if (turn.phase !== 'ending') return
    turn.phase = 'settling'
    turn.recorder.done({ title: early ?? undefined, steerLeftover, terminalState })
    const late = early === undefined ? await Promise.race([title, waitFor(turn, titleLimitMs)]) : undefined
    if (turn.phase !== 'settling') return
    turn.recorder.end(late ?? undefined)
    close(turn)
  }

  /** Looking for a title went wrong, the session may be gone: the answer stands without one. */
  function unsettled (turn: Turn, error: unknown): void {
    options.log('a turn could not be closed as usual', { streamId: turn.streamId, reason: String(error) })
    conclude(turn)
  }

  /** Resolves with undefined after a while, or as soon as somebody needs this turn out of the way. */
  function waitFor (turn: Turn, ms: number): Promise<undefined> {
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
    close(turn)
  }

  function close (turn: Turn): void {
    turn.phase = 'closed'
    turn.finish?.()
    turns.delete(turn.streamId)
    options.closed(turn)
  }

  /** Sends the closing frames of a turn whose answer stands, without waiting for a title. */
  function conclude (turn: Turn): void {
    if (turn.phase === 'ending') turn.recorder.done({})
    if (turn.phase === 'ending' || turn.phase === 'settling') {
      turn.recorder.end()
      close(turn)
    }
  }

  function cancelTurn (turn: Turn): boolean {
    // Nothing is left to stop: the answer stands, only its closing frames wait.
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
    begin (identity: TurnIdentity, generation: number, input: TurnInput, chosen: Promise<ModelChoice>): void {
      const turn: Turn = {
        ...identity,
        kind: 'chat',
        phase: 'starting',
        finish: null,
        recorder: new TurnRecorder(identity, generation, {
          ...options,
          onRefused: (error) => options.log('a late write of an ended turn was refused', { streamId: identity.streamId, reason: error.message })
        })
      }
      turns.set(turn.streamId, turn)
      // The answer of the start call goes out first: when many start at once, none waits for the others' runs.
      setImmediate(() => launch(turn, generation, input, chosen).catch((error: unknown) => {
        options.log('a turn could not be started', { streamId: turn.streamId, reason: String(error) })
        fail(turn, { type: 'error', message: 'The turn could not be started; the log of the service has the details.' })
      }))
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

    /** Ends every turn honestly before the process goes: partial answers are kept, streams get their last frame. */
    shutdown (): void {
      for (const turn of [...turns.values()]) {
        turn.finish?.()
        conclude(turn)
        fail(turn, { type: 'interrupted', message: 'The service was stopped while this turn was running.', hint: 'What was written so far is kept. Send the message again to retry.' }, 'interrupted-by-crash')
      }
      db.flush()
    }
  }
}

export type Turns = ReturnType<typeof createTurns>
